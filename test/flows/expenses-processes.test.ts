import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { RunningCommand, type CommandEnd } from '../support/project.ts'

let copy: PackageCopy
let folder: string

beforeAll(() => {
  copy = copyPackage()
  folder = mkdtempSync(join(tmpdir(), 'hexagon-expenses-'))
  cpSync(resolve(import.meta.dirname, '../../flows'), join(folder, 'flows'), { recursive: true })
})

afterAll(() => {
  copy.remove()
  rmSync(folder, { recursive: true, force: true })
})

test('five claims wait at once and are decided by four processes', async () => {
  const started = await hexagon('run', 'expenses', '--thread', 'october', '--json')
  expect(started.code).toBe(75)
  const { interrupts } = JSON.parse(started.stdout) as { interrupts: Waiting[] }
  expect(interrupts.map(({ key }) => key)).toEqual(
    ['E-104', 'E-105', 'E-107', 'E-109', 'E-112'].map((id) => `node:review:${id}`),
  )
  const [, second, , fourth] = interrupts

  const rejected = await answer(second, '--reject', '--reason', 'Over the allowance')
  const approved = await answer(fourth, '--approve')
  const rest = { 'node:review:E-104': true, '#3': true, 'node:review:E-112': false }
  const last = await hexagon('resume', 'october', '--answers', JSON.stringify(rest), '--json')

  expect([rejected.code, approved.code, last.code]).toEqual([75, 75, 0])
  expect(JSON.parse(last.stdout)).toMatchObject({
    status: 'completed',
    result: { claims: 12, asked: 5, pay: '2801.05', refuse: '644.10' },
  })
  const lines = readFileSync(join(folder, 'flows/expenses.decided.csv'), 'utf8').split('\n')
  expect(lines[5]).toBe(
    'E-105,2026-10-08,Jonas Weber,Meals,412.75,"Team dinner, 11 people",rejected,Over the allowance',
  )
})

test('a second answer to the same claim is refused and names the first', async () => {
  const started = await hexagon('run', 'expenses', '--json')
  const { interrupts } = JSON.parse(started.stdout) as { interrupts: Waiting[] }
  const [first] = interrupts
  await answer(first, '--approve')

  const again = await answer(first, '--reject')

  expect(again.code).toBe(69)
  expect(again.stderr.replaceAll(/\s+/g, ' ')).toMatch(/is already answered by .+ \[E1307\]/)
})

test('what is left is approved with --yes, by nobody who saw it', async () => {
  const started = await hexagon('run', 'expenses', '--thread', 'november', '--json')
  const { interrupts } = JSON.parse(started.stdout) as { interrupts: Waiting[] }
  await answer(interrupts[0], '--reject')

  const resumed = await hexagon('resume', 'november', '--yes', '--json')

  expect(JSON.parse(resumed.stdout)).toMatchObject({
    status: 'completed',
    result: { asked: 5, refuse: '1249.00' },
  })
  const shown = await hexagon('show', 'november')
  expect(shown.stdout).toContain('#1  rejected by')
  expect(shown.stdout).toContain('#2  approved (unseen, --yes) by')
})

interface Waiting {
  readonly id: string
  readonly key: string
  readonly digest: string
}

function answer(waiting: Waiting | undefined, ...words: string[]): Promise<CommandEnd> {
  if (waiting === undefined) throw new Error('There is no such question')
  return hexagon('resume', waiting.id, '--digest', waiting.digest, ...words)
}

/** The command, in the project. */
function hexagon(...words: string[]): Promise<CommandEnd> {
  const options = { cwd: folder, env: { HOME: folder } }
  return new RunningCommand(process.execPath, [copy.bin, ...words], options).end
}
