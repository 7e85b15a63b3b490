// HEXAGON_REPLAY=always: every answer enters its task again, so that a test finds code before a question that
// must not run twice.

import { existsSync, readFileSync } from 'node:fs'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'
import { keys, Pty } from '../support/pty.ts'

let copy: PackageCopy
let project: Project
let pty: Pty | undefined

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/ask.ts': `
      import { appendFileSync } from 'node:fs'
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('ask', async () => {
        appendFileSync('entered', process.pid + ' ')
        const first = await interruptForApproval('First?', { key: 'first' })
        const second = await interruptForApproval('Second?', { key: 'second' })
        return { first, second }
      })`,
    'flows/once.ts': `
      import { appendFileSync } from 'node:fs'
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('once', async () => {
        appendFileSync('entered', process.pid + ' ')
        return interruptForApproval('Go?', { key: 'go' })
      })`,
  })
})
afterEach(() => {
  pty?.close()
  project.remove()
})

const always = { HEXAGON_REPLAY: 'always' }

const ways: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
  ['without it', {}, 1],
  ['with an empty one', { HEXAGON_REPLAY: '' }, 1],
  ['with needed', { HEXAGON_REPLAY: 'needed' }, 1],
  ['with always', always, 2],
]

describe.each(ways)('%s', (_name, env, times) => {
  test(`an answer from --answers runs the code before its question ${times} times`, async () => {
    const { code, document } = await project.json(['run', 'once', '--answers', '{"go":true}'], {
      env,
    })

    expect(code).toBe(0)
    expect(document.result).toBe(true)
    expect(entriesByProcess()).toEqual([times])
  })

  test(`so does an answer at a terminal: ${times} times`, async () => {
    const terminal = type('run once', env)
    await approve(terminal)
    const { code } = await terminal.end()

    expect(code).toBe(0)
    expect(entriesByProcess()).toEqual([times])
  })
})

test('with always each of two answers enters the task again', async () => {
  const { code } = await project.json(
    ['run', 'ask', '--answers', '{"first":true,"second":false}'],
    { env: always },
  )

  expect(code).toBe(0)
  expect(entriesByProcess()).toEqual([3])
})

test('with always a run that keeps nothing enters its task again, too', async () => {
  const { code } = await project.json(['run', 'once', '--ephemeral', '--answers', '{"go":true}'], {
    env: always,
  })

  expect(code).toBe(0)
  expect(entriesByProcess()).toEqual([2])
})

test.each([
  ['without it a resume enters a task once, for all its answers', {}, 1],
  ['with always a resume enters a task for each answer', always, 2],
] as const)('%s', async (_title, env, times) => {
  const { document } = await project.json(['run', 'ask'])
  const terminal = type(`resume ${document.thread.id} --approve`, env)
  await approve(terminal)
  const { code } = await terminal.end()

  expect(code).toBe(0)
  expect(entriesByProcess()).toEqual([1, times])
})

test('another word is refused before anything runs', async () => {
  const { code, document } = await project.json(['run', 'once'], {
    env: { HEXAGON_REPLAY: 'alway' },
  })

  expect(code).toBe(2)
  expect(document.error).toMatchObject({
    code: 'E1010',
    message: 'HEXAGON_REPLAY must be one of always, needed, got "alway"',
    hint: 'For example: HEXAGON_REPLAY=always',
  })
  expect(existsSync(project.path('entered'))).toBe(false)
})

test('help names it', async () => {
  const { stdout } = await project.run(['help', 'environment'])

  expect(stdout).toMatch(/^ +HEXAGON_REPLAY +always: enter tasks again at every answer/mu)
})

function type(words: string, env: Readonly<Record<string, string>>): Pty {
  pty = new Pty({
    command: process.execPath,
    args: [copy.bin, ...words.split(' ')],
    cwd: project.folder,
    env,
  })
  return pty
}

async function approve(terminal: Pty): Promise<void> {
  await terminal.until('Your decision')
  terminal.send('a')
  await terminal.until('❯ Approve')
  terminal.send(keys.enter)
}

/** How often the flow was entered in each process, in their order. */
function entriesByProcess(): number[] {
  const pids = readFileSync(project.path('entered'), 'utf8').trim().split(' ')
  return [...new Set(pids)].map((pid) => pids.filter((one) => one === pid).length)
}
