import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-30T09:00:00Z') })
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/name.mjs': `
      import { flow, interruptForInput } from 'hexagon'
      export default flow('name', async () => interruptForInput('Name?', { timeout: '1h', default: 'nobody' }))`,
    'flows/plain.mjs': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('plain', async () => interruptForApproval('Ok?', { timeout: '1h' }))`,
    'flows/again.mjs': `
      import { flow, interruptForInput, InterruptTimeoutError } from 'hexagon'
      export default flow('again', async () => {
        const first = await interruptForInput('First?', { timeout: '1h' })
          .catch((error) => error instanceof InterruptTimeoutError ? 'late' : 'other')
        return first + await interruptForInput('Second?')
      })`,
  })
})
afterEach(() => {
  vi.useRealTimers()
  bench.remove()
})

interface Document {
  readonly thread: { readonly id: string; readonly version: number }
  readonly threads: readonly Record<string, unknown>[]
  readonly error: { readonly code: string }
}

async function json(...words: string[]): Promise<{ code: number; document: Document }> {
  const { code, stdout } = await bench.run([...words, '--json'])
  return { code, document: JSON.parse(stdout) as Document }
}

async function waiting(flow: string): Promise<string> {
  return (await json('run', flow)).document.thread.id
}

const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms)

describe('tick', () => {
  test('with nothing due says so and runs nothing', async () => {
    expect(await bench.run(['tick'])).toMatchObject({ code: 0, stderr: 'Nothing is due.' })
    await waiting('name')

    expect(await json('tick')).toMatchObject({ code: 0, document: { threads: [] } })
  })

  test('B47 takes the default of what is due and finishes the thread', async () => {
    const id = await waiting('name')
    pass(3_600_000)

    expect(await json('tick')).toMatchObject({
      code: 0,
      document: { threads: [{ id, name: 'name', status: 'completed', error: null }] },
    })
    const { document } = await json('show', id)
    expect(document.thread).toMatchObject({
      status: 'completed',
      output: 'nobody',
      answered: [{ status: 'consumed', value: 'nobody', source: { via: 'timeout' } }],
    })
    expect((await json('tick')).document.threads).toEqual([])
  })

  test('S162 without a default the call rejects; it is not a no', async () => {
    const id = await waiting('plain')
    const other = await waiting('again')
    pass(3_600_000)

    const { code, document } = await json('tick')
    expect(code).toBe(1)
    expect(
      document.threads.toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)),
    ).toMatchObject([
      { id: other, status: 'suspended', interrupts: [{ message: 'Second?' }] },
      { id, status: 'failed', error: { code: 'E1408' } },
    ])
    expect((await json('show', id)).document.thread).toMatchObject({
      status: 'failed',
      answered: [{ status: 'expired', value: null }],
    })
  })

  test('continues what was answered without running', async () => {
    const id = await waiting('name')
    await json('resume', id, '--text', 'Ann', '--no-run')

    expect(await json('tick')).toMatchObject({
      document: { threads: [{ id, status: 'completed' }] },
    })
  })

  test('goes on with the others when one can not go on', async () => {
    const gone = await waiting('plain')
    const id = await waiting('name')
    bench.write('flows/plain.mjs', 'export default 1')
    pass(3_600_000)

    const { code, document } = await json('tick')
    expect(code).toBe(78)
    expect(document.threads).toHaveLength(2)
    expect(document.threads).toContainEqual(
      expect.objectContaining({ id, status: 'completed', error: null }),
    )
    expect(document.threads).toContainEqual(
      expect.objectContaining({ id: gone, status: null, error: expect.any(Object) as object }),
    )
  })

  test('asks nobody, also at a terminal', async () => {
    await waiting('again')
    pass(3_600_000)
    const { code, terminal } = await bench.run(['tick'], { interactive: true, replies: [] })

    expect(code).toBe(0)
    expect(terminal.met).toEqual([])
  })
})

describe('a question whose time is up', () => {
  test('is not listed any more, and looking runs nothing', async () => {
    const id = await waiting('name')
    pass(3_600_000)

    expect((await json('pending')).document.threads).toEqual([])
    expect((await json('show', id)).document.thread).toMatchObject({ status: 'suspended' })
  })

  test('is recorded by whoever shows it, waits for it or stores an answer, and nothing runs', async () => {
    const [shown, awaited, late] = [
      await waiting('name'),
      await waiting('plain'),
      await waiting('plain'),
    ]
    pass(3_600_000)

    const { document } = await json('show', shown)
    expect(document.thread).toMatchObject({
      status: 'suspended',
      interrupts: [],
      answered: [{ status: 'answered', value: 'nobody', by: 'timeout' }],
    })
    expect((await json('wait', awaited, '--for', 'answered')).code).toBe(0)
    expect((await json('show', awaited)).document.thread).toMatchObject({
      interrupts: [],
      answered: [{ status: 'expired' }],
    })
    expect((await json('resume', late, '--approve', '--no-run')).document.error.code).toBe('E1408')
  })

  test('E1408 a late answer is refused before anything runs', async () => {
    const id = await waiting('plain')
    pass(3_600_000)

    const { code, document } = await json('resume', id, '--approve')
    expect(code).toBe(1)
    expect(document.error.code).toBe('E1408')
    expect((await json('show', id)).document.thread).toMatchObject({ status: 'suspended' })
  })

  test('a resume without an answer settles it and goes on', async () => {
    const id = await waiting('name')
    pass(3_600_000)
    const { code, stdout } = await bench.run(['resume', id])

    expect(code).toBe(0)
    expect(stdout).toBe('nobody\n')
  })
})
