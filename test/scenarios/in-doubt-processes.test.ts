// Processes that are killed between an effect and its receipt.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { Runner, type ResumeCommand, type RunResult } from '../../src/index.ts'
import { fileStore, sqliteStore, type Store } from '../../src/stores/index.ts'
import { effectsIn, payingFlows } from '../support/paying-flows.ts'
import { messages, question } from '../support/threads.ts'

const root = resolve(import.meta.dirname, '../..')
const script = join(root, 'test/support/paying-process.ts')

let folder = ''
let effects = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hexagon-doubt-'))
  effects = join(folder, 'effects')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the flow in a process of its own; gives the signal that ended it. */
function killed(at: string, flow: string): Promise<NodeJS.Signals | null> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=hexagon:source', script, at, effects, flow],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return new Promise((done) => {
    child.once('exit', (_code, signal) => done(signal))
  })
}

/** Goes on with the thread here, where nobody is killed. */
function resume(store: Store, flow: string, command: ResumeCommand = {}): Promise<RunResult> {
  const flows = [...payingFlows(effects, false).values()].filter(({ name }) => name === flow)
  return new Runner({ store, flows }).resume('t', command).result
}

describe.each([
  ['files', 'store', fileStore],
  ['SQLite', 'store.db', sqliteStore],
])('a process that was killed behind an effect, over %s', { timeout: 60_000 }, (_, name, open) => {
  let at = ''
  let store: Store

  beforeEach(() => {
    at = join(folder, name)
    store = open(at)
  })

  afterEach(() => store.close())

  test.each(['node', 'nested', 'invoked', 'plain'])(
    'leaves a question and no second effect: %s',
    async (flow) => {
      expect(await killed(at, flow)).toBe('SIGKILL')
      expect((await new Runner({ store }).get('t')).status).toBe('crashed')

      const asked = await resume(store, flow)
      expect(asked.status).toBe('suspended')
      expect(question(asked)).toMatchObject({ kind: 'doubt', payload: { args: 'pay!' } })
      expect(effectsIn(effects)).toEqual(['before', 'pay!'])

      const done = await resume(store, flow, { answer: { happened: true, result: 'paid' } })
      expect(done.status).toBe('completed')
      expect(JSON.stringify(done.output)).toContain('paid')
      expect(effectsIn(effects)).toEqual(['before', 'pay!', 'after'])
    },
  )

  test('leaves the other tasks of a fan-out with what they have', async () => {
    expect(await killed(at, 'fanned')).toBe('SIGKILL')

    const asked = await resume(store, 'fanned')
    const payloads = asked.interrupts.map(({ payload }) => (payload as { args: string }).args)
    expect(payloads).toContain('b!')
    const answers = asked.interrupts.map(({ id, payload }): [string, string] => {
      const happened = effectsIn(effects).includes((payload as { args: string }).args)
      return [id, happened ? 'happened' : 'run']
    })
    const done = await resume(store, 'fanned', { answers: Object.fromEntries(answers) })

    expect(done.status).toBe('completed')
    expect(effectsIn(effects).toSorted()).toEqual(['a', 'b!', 'c'])
  })

  test('leaves a question for each of the effects that were going on', async () => {
    expect(await killed(at, 'parallel')).toBe('SIGKILL')

    const asked = await resume(store, 'parallel')
    expect(messages(asked)).toEqual(['Did the step "left" happen?', 'Did the step "right" happen?'])
    const [left, right] = asked.interrupts
    const still = await resume(store, 'parallel', { answers: { [left?.id ?? '']: 'run' } })
    expect(messages(still)).toEqual(['Did the step "right" happen?'])
    const done = await resume(store, 'parallel', { answers: { [right?.id ?? '']: 'happened' } })

    expect(done.status).toBe('completed')
    expect(effectsIn(effects)).toEqual(['left', 'right!', 'left'])
  })
})
