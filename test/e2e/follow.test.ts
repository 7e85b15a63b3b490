import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'

let copy: PackageCopy
let project: Project

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/steps.ts': `
      import { existsSync } from 'node:fs'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { flow, interruptForApproval, step } from 'hexagon'
      export default flow('steps', async () => {
        if (!(await interruptForApproval('Go on?'))) return 'no'
        await step('first', () => 1)
        console.log('first is done')
        await step('second', async () => { while (!existsSync('go')) await sleep(20) })
        return 'yes'
      })`,
  })
})
afterEach(() => project.remove())

interface Line {
  readonly type: string
  readonly version: number
  readonly status: string
  readonly label: string
}

function linesOf(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

test('history --follow tells what another process commits, one JSON line each, until the thread rests', async () => {
  await project.run(['run', 'steps', '--thread', 'one'])
  const following = project.start(['history', 'one', '--follow', '--json'])
  await following.until('"suspended"')
  const resuming = project.start(['resume', 'one', '--approve'])
  await resuming.until('first is done')
  await following.until('step \\"first\\"')
  project.write('go', '')
  await resuming.end
  const { code, stdout } = await following.end

  expect(code).toBe(0)
  const lines = linesOf(stdout)
  expect(lines.map(({ version }) => version)).toEqual(lines.map((_, index) => index + 1))
  expect(lines[0]).toMatchObject({ v: 1, type: 'checkpoint', threadId: 'one', label: 'start' })
  expect(lines.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['answer', 'step "first"', 'step "second"']),
  )
  expect(lines.at(-1)).toMatchObject({ status: 'completed' })
})

test('history --follow prints lines with tabs in a pipe, the oldest first, and ends at once when all is over', async () => {
  await project.run(['run', 'steps', '--thread', 'one'])
  await project.run(['resume', 'one', '--reject'])
  const whole = await project.run(['history', 'one', '--follow'])
  const listed = await project.run(['history', 'one'])
  const last = await project.run(['history', 'one', '--follow', '--limit', '1'])

  const texts = (text: string): string[] => text.trimEnd().split('\n')
  expect(whole.code).toBe(0)
  expect(texts(whole.stdout)).toEqual(texts(listed.stdout).toReversed())
  expect(texts(last.stdout)).toEqual(texts(whole.stdout).slice(-1))
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'history --follow is ended by %s with %i, and the thread goes on',
  async (signal, code) => {
    const running = project.start(['run', 'steps', '--thread', 'one', '--yes'])
    await running.until('first is done')
    const following = project.start(['history', 'one', '--follow', '--json'])
    await following.until('step \\"first\\"')
    following.process.kill(signal)
    const ended = await following.end
    project.write('go', '')

    expect(ended.code).toBe(code)
    expect(linesOf(ended.stdout).every(({ type }) => type === 'checkpoint')).toBe(true)
    expect((await running.end).code).toBe(0)
  },
)

test('history --follow wants one thread, and no page of its history', async () => {
  const [without, both] = await Promise.all([
    project.json(['history', '--follow']),
    project.json(['history', 'one', '--follow', '--diff', '1..2']),
  ])
  expect(without.code).toBe(2)
  expect(both.code).toBe(2)
  expect(both.document.error.message).toContain('--follow and --diff')
})

test('history --follow in jsonl begins with the version and ends with the thread', async () => {
  await project.run(['run', 'steps', '--thread', 'one'])
  await project.run(['resume', 'one', '--reject'])
  const { stdout } = await project.run(['history', 'one', '--follow', '-o', 'jsonl'])
  const types = linesOf(stdout).map(({ type }) => type)
  expect([types[0], types[1], types.at(-1)]).toEqual(['version', 'checkpoint', 'result'])
})
