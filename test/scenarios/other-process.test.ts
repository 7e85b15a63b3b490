import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { RunResult, ThreadView } from '../../src/index.ts'
import { messages, questionAsking } from '../support/threads.ts'

const root = resolve(import.meta.dirname, '../..')
const script = join(root, 'test/support/thread-process.ts')

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hexagon-threads-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Told {
  readonly effects: readonly string[]
  readonly result?: RunResult & ThreadView
  readonly error?: { readonly name: string; readonly message: string }
}

/** A process that has not ended yet. */
class Running {
  readonly child: ChildProcess
  readonly ended: Promise<Told>
  #lines: string[] = []
  #waiting: { readonly line: string; readonly done: () => void }[] = []

  constructor(args: readonly string[]) {
    this.child = spawn(
      process.execPath,
      ['--import', 'tsx', '--conditions=hexagon:source', script, join(folder, 'store'), ...args],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let text = ''
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      this.#lines.push(...lines)
      for (const { line, done } of this.#waiting) if (this.#lines.includes(line)) done()
    })
    this.ended = new Promise((done) => {
      this.child.once('close', () => done(this.#told()))
    })
  }

  /** Resolves when the process has told this. */
  says(line: string): Promise<void> {
    return new Promise((done) => {
      if (this.#lines.includes(line)) done()
      else this.#waiting.push({ line, done })
    })
  }

  #told(): Told {
    const after = (word: string): string[] =>
      this.#lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length))
    const [result] = after('result ')
    const [error] = after('error ')
    return {
      effects: after('effect '),
      ...(result === undefined ? {} : { result: JSON.parse(result) as RunResult & ThreadView }),
      ...(error === undefined
        ? {}
        : { error: JSON.parse(error) as { name: string; message: string } }),
    }
  }
}

function run(...args: readonly string[]): Promise<Told> {
  return new Running(args).ended
}

function resultOf({ result, error }: Told): RunResult & ThreadView {
  if (result === undefined) throw new Error(`no result: ${error?.message ?? 'it was killed'}`)
  return result
}

describe('threads over processes', { timeout: 60_000 }, () => {
  test('B43 each answer comes from a process of its own', async () => {
    const began = await run('run', 't', JSON.stringify({ items: ['a', 'b'] }))
    expect(began.effects).toEqual(['a', 'b'])
    const paused = resultOf(began)
    expect(messages(paused)).toEqual(['a?', 'b?'])

    const half = await run(
      'resume',
      't',
      JSON.stringify({ answers: { [questionAsking(paused, 'b?').id]: 'B' } }),
    )
    expect(half.effects).toEqual([])
    expect(messages(resultOf(half))).toEqual(['a?'])
    const end = await run('resume', 't', JSON.stringify({ answer: 'A' }))
    expect(end.effects).toEqual([])
    expect(resultOf(end)).toMatchObject({ status: 'completed', state: { sum: 'a=A,b=B' } })
  })

  test('B53 two processes answer two questions of one thread, and no answer is lost', async () => {
    const paused = resultOf(await run('run', 't', JSON.stringify({ items: ['a', 'b'] })))
    const answer = (name: string): string =>
      JSON.stringify({ answers: { [questionAsking(paused, `${name}?`).id]: name.toUpperCase() } })
    const told = await Promise.all([
      run('resume', 't', answer('a')),
      run('resume', 't', answer('b')),
    ])
    for (const [index, name] of ['a', 'b'].entries()) {
      const error = told[index]?.error
      if (error === undefined) continue
      expect(error.name).toBe('ThreadLockedError')
      await run('resume', 't', answer(name))
    }

    const view = resultOf(await run('get', 't'))
    expect(view).toMatchObject({ status: 'completed', state: { sum: 'a=A,b=B' } })
  })

  test('S174 a killed process leaves a thread that goes on after its last step', async () => {
    const first = new Running(['run', 't', 'chain'])
    await first.says('hanging')
    const locked = await run('resume', 't')
    expect(locked.error?.name).toBe('ThreadLockedError')
    first.child.kill('SIGKILL')
    const killed = await first.ended
    expect(killed.effects).toEqual(['one', 'two'])
    expect(resultOf(await run('get', 't')).status).toBe('crashed')

    const end = await run('resume', 't')
    expect(end.effects).toEqual(['three', 'four'])
    expect(resultOf(end)).toMatchObject({ status: 'completed', output: 'done' })
  })

  test('S42 a process killed while an invoked graph waits leaves what the node around it keeps', async () => {
    const first = new Running(['wait', 't'])
    await first.says('saved')
    first.child.kill('SIGKILL')
    const killed = await first.ended
    expect(killed).toEqual({ effects: ['prepared'] })
    expect(messages(resultOf(await run('get', 't')))).toEqual(['inner?'])

    const end = await run('resume', 't', JSON.stringify({ answer: 'yes' }))
    expect(end.effects).toEqual([])
    expect(resultOf(end)).toMatchObject({ status: 'completed', output: 'prepared, yes' })
  })
})
