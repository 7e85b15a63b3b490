import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

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
    'flows/pay.ts': `
      import { appendFileSync } from 'node:fs'
      import { flow, step } from 'hexagon'
      export default flow('pay', async () =>
        step('charge the card', () => {
          appendFileSync('effects', 'charged\\n')
          if (process.env.LETHAL) process.kill(process.pid, 'SIGKILL')
          return { id: 'ch_1' }
        }, { once: true, args: { amount: 12 } }))`,
  })
})
afterEach(() => project.remove())

/** Starts the flow in a process that is killed behind the effect. */
async function killed(): Promise<void> {
  const env = { LETHAL: '1' }
  const { signal } = await project.run(['run', 'pay', '--thread', 't'], { env })
  expect(signal).toBe('SIGKILL')
}

function effects(): string {
  return readFileSync(join(project.folder, 'effects'), 'utf8')
}

test('a killed command leaves a step in doubt, and the next one asks about it', async () => {
  await killed()

  const crashed = await project.json(['show', 't'])
  expect(crashed.document.thread).toMatchObject({
    status: 'crashed',
    interrupts: [],
    inDoubt: [{ step: 'charge the card', why: 'unsaved' }],
  })
  expect((await project.run(['show', 't'])).stdout).toContain('1 step in doubt')

  const asked = await project.json(['resume', 't'])
  expect(asked.code).toBe(75)
  const [question] = asked.document.interrupts
  expect(question).toMatchObject({
    kind: 'doubt',
    danger: true,
    message: 'Did the step "charge the card" happen?',
    payload: { step: 'charge the card', args: { amount: 12 } },
    options: [
      { value: 'happened', name: 'It happened' },
      { value: 'run', name: 'It did not happen' },
      { value: 'fail', name: 'Fail' },
    ],
  })
  const threads = await project.json(['threads', '--status', 'in-doubt'])
  expect(threads.document.threads).toMatchObject([{ id: 't', status: 'suspended', inDoubt: 1 }])
  expect((await project.run(['threads'])).stdout).toContain('in doubt')
  expect((await project.run(['pending'])).stdout).toContain('charge the card')
  const { thread } = (await project.json(['show', 't'])).document
  expect(thread).toMatchObject({ inDoubt: [{ interrupt: question?.id }] })
  expect(effects()).toBe('charged\n')
})

test.each([
  [['--choose', 'happened'], 'charged\n', null],
  [['--data', '{"happened":true,"result":{"id":"ch_9"}}'], 'charged\n', { id: 'ch_9' }],
  [['--choose', 'run'], 'charged\ncharged\n', { id: 'ch_1' }],
])('a script answers it with %j', async (words, left, result) => {
  await killed()
  const asked = await project.json(['resume', 't'])
  const [question] = asked.document.interrupts
  const { id = '', digest = '' } = question ?? {}

  const done = await project.json(['resume', id, '--digest', digest, ...words])

  expect(done.document).toMatchObject({ status: 'completed', result })
  expect(done.code).toBe(0)
  expect(effects()).toBe(left)
})

test('a step in doubt that is given up fails the thread, and a retry asks again', async () => {
  await killed()
  await project.run(['resume', 't'])

  const failed = await project.json(['resume', 't', '--choose', 'fail'])
  expect(failed.code).toBe(1)
  expect(failed.document.error).toMatchObject({ code: 'E2141' })

  const asked = await project.json(['resume', 't', '--retry'])
  expect(asked.code).toBe(75)
  expect(asked.document.interrupts).toMatchObject([{ kind: 'doubt' }])
  expect(effects()).toBe('charged\n')
})

test.each([
  [['--yes'], 'E1403'],
  [['--approve'], 'E1201'],
  [['--text', 'happened'], 'E1208'],
  [['--choose', 'maybe'], 'E1202'],
  [['--data', '{"happened":"yes"}'], 'E1202'],
])('a step in doubt does not run by %j', async (words, code) => {
  await killed()
  await project.run(['resume', 't'])

  const refused = await project.json(['resume', 't', ...words])

  expect(refused.code).not.toBe(0)
  expect(refused.document).toMatchObject({ error: { code } })
  expect(effects()).toBe('charged\n')
  const { thread } = (await project.json(['show', 't'])).document
  expect(thread).toMatchObject({ interrupts: [{ kind: 'doubt' }] })
})

test('a step that may have run after the version that a thread was put back to is asked about', async () => {
  project.write(
    'flows/two.ts',
    `
      import { appendFileSync } from 'node:fs'
      import { flow, interruptForInput, step } from 'hexagon'
      export default flow('two', async () => {
        await interruptForInput('Go?')
        const paid = await step('charge', () => (appendFileSync('effects', 'charged\\n'), 'paid'), { once: true })
        return [paid, await interruptForInput('More?')]
      })`,
  )
  await project.run(['run', 'two', '--thread', 't'])
  await project.run(['resume', 't', '--text', 'go'])
  const log = join(project.folder, '.hexagon/threads/t.log')
  const lines = readFileSync(log, 'utf8').split('\n')
  const intent = lines.findIndex((line) => line.includes('intent of step'))
  project.write('.hexagon/threads/t.log', lines.with(intent, 'torn').join('\n'))
  rmSync(join(project.folder, '.hexagon/threads/t.json'))

  const fixed = await project.run(['doctor', '--fix'])
  expect(fixed.stdout + fixed.stderr).toContain('in doubt')

  const { thread } = (await project.json(['show', 't'])).document
  expect(thread).toMatchObject({ restored: { afterVersion: expect.any(Number) as number } })
  const asked = await project.json(['resume', 't'])
  expect(asked.document.interrupts).toMatchObject([
    {
      kind: 'doubt',
      payload: { step: 'charge', why: expect.stringContaining('put back') as string },
    },
  ])
  const more = await project.json(['resume', 't', '--data', '{"happened":true,"result":"seen"}'])
  expect(more.document.interrupts).toMatchObject([{ message: 'More?' }])
  const done = await project.json(['resume', 't', '--text', 'no'])
  expect(done.document).toMatchObject({ status: 'completed', result: ['seen', 'no'] })
  expect(effects()).toBe('charged\n')
})
