// What a run leaves in the file store: as much as changed, in a file of its own, and all of it.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import {
  channel,
  END,
  graph,
  interruptForApproval,
  Runner,
  Send,
  START,
  step,
} from '../../src/index.ts'
import { fileStore, memoryStore } from '../../src/stores/index.ts'
import { Crash, crashingStore } from '../support/crashing-store.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hexagon-size-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function list() {
  return channel<string[]>({ initial: [], reduce: (all, added) => [...all, ...added] })
}

/** Bytes of every file below a folder. */
function bytesIn(path: string): number {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(path, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
}

/** Runs a loop over a state with a big part that no step changes. */
async function bytesAfter(steps: number, blob: number): Promise<number> {
  const loop = graph('loop', { state: { n: 0, blob: '', log: list() } })
    .node('turn', ({ n }) => ({ n: n + 1, log: [`turn ${n}`] }))
    .edge(START, 'turn')
    .branch('turn', ({ n }) => (n < steps ? 'turn' : END), ['turn', END])
  const path = join(folder, `${steps}-${blob}`)
  const result = await new Runner({ store: fileStore(path) }).invoke(loop, {
    blob: 'x'.repeat(blob),
  })
  expect(result.state['n']).toBe(steps)
  return bytesIn(path)
}

describe('the store', () => {
  test('B97 grows with what steps change, not with the state they leave alone', async () => {
    const small = await bytesAfter(100, 1_000)
    const big = await bytesAfter(100, 200_000)
    const long = await bytesAfter(800, 200_000)

    // A few copies of the blob (input, first state, document, history), never one a step.
    expect(big - small).toBeLessThan(10 * 200_000)
    expect(long).toBeLessThan(5_000_000)
  })

  test('a subgraph that shares a list writes as much in its last round as in its first', async () => {
    const written = async (rounds: number): Promise<number> => {
      const inner = graph('inner', { state: { n: 0, log: list() } })
        .node('turn', ({ n }) => ({ n: n + 1, log: ['one entry of the log'] }))
        .edge(START, 'turn')
        .branch('turn', ({ n }) => (n < rounds ? 'turn' : END), ['turn', END])
      const outer = graph('outer', { state: { n: 0, log: list() } })
        .node('inner', inner)
        .edge(START, 'inner')
        .edge('inner', END)
      const store = memoryStore()
      const commit = store.commit.bind(store)
      let bytes = 0
      store.commit = (batch) => {
        for (const [key, text] of batch.puts ?? []) if (!key.startsWith('c ')) bytes += text.length
        return commit(batch)
      }
      const { state } = await new Runner({ store }).invoke(outer, {})
      expect(state['log']).toHaveLength(rounds)
      return bytes
    }
    expect((await written(400)) / (await written(100))).toBeLessThan(5)
  })

  test('B98 keeps each waiting thread in files of its own', async () => {
    const asks = graph('asks', { state: {} })
      .node('ask', async () => void (await interruptForApproval('Go?')))
      .edge(START, 'ask')
      .edge('ask', END)
    const store = fileStore(folder)
    const runner = new Runner({ store, flows: [asks] })
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`)
    for (const threadId of ids) await runner.invoke(asks, {}, { threadId })

    const documents = readdirSync(join(folder, 'threads')).filter((name) => name.endsWith('.json'))
    await runner.resume('t7', { answer: true }).result

    expect(documents.toSorted()).toEqual(ids.map((id) => `${id}.json`).toSorted())
    const { items } = await runner.pending({ limit: 100 })
    expect(items.map(({ threadId }) => threadId).toSorted()).toEqual(
      ids.filter((id) => id !== 't7').toSorted(),
    )
  })

  test('B59 keeps every result of a hundred tasks that finish in one tick', async () => {
    const fan = graph('fan', { state: { log: list() } })
      .node('work', async ({ index }: { readonly index: number }) => ({
        log: [await step('result', () => `result ${index}`)],
      }))
      .branch(START, () => Array.from({ length: 100 }, (_, index) => new Send('work', { index })), [
        'work',
      ])
      .edge('work', END)
    const store = fileStore(folder)
    await new Runner({ store }).invoke(fan, {}, { threadId: 'fan' })

    const { state } = await new Runner({ store: fileStore(folder) }).get('fan')

    expect(state['log']).toEqual(Array.from({ length: 100 }, (_, index) => `result ${index}`))
  })
})

test('B46 killed in the third of five nodes, a thread goes on at the third', async () => {
  let now = 0
  const clock = (): number => now
  const store = memoryStore({ clock })
  const ran: string[] = []
  const visit = (name: string) => () => {
    ran.push(name)
    return { log: [name] }
  }
  const line = graph('line', { state: { log: list() } })
    .node('a', visit('a'))
    .node('b', visit('b'))
    .node('c', visit('c'))
    .node('d', visit('d'))
    .node('e', visit('e'))
    .edge(START, 'a')
    .edge('a', 'b')
    .edge('b', 'c')
    .edge('c', 'd')
    .edge('d', 'e')
    .edge('e', END)
  const services = { clock }
  // The commits of a and b arrive; the process dies in that of c.
  const dying = new Runner({ store: crashingStore(store, 3), services })
  const died = await dying.invoke(line, {}, { threadId: 'line' }).catch((error: unknown) => error)
  now += 3_600_000

  const result = await new Runner({ store, flows: [line], services }).resume('line').result

  expect(died instanceof Crash || (died as { error?: unknown }).error instanceof Crash).toBe(true)
  expect(result.state['log']).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(ran).toEqual(['a', 'b', 'c', 'c', 'd', 'e'])
})
