import { expect, test } from 'vitest'

import { threadDocument } from '../../src/cli/thread-document.ts'
import {
  channel,
  END,
  graph,
  interruptForApproval,
  interruptForInput,
  migrateCheckpoint,
  registerType,
  Send,
  START,
  step,
  type Store,
  type StoredValuePlace,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { messages, Threads } from '../support/threads.ts'

class Money {
  readonly cents: number
  constructor(cents: number) {
    this.cents = cents
  }
}
registerType('migration-test-money', Money, {
  serialize: ({ cents }) => ({ cents }),
  deserialize: (stored) => new Money((stored as { cents: number }).cents),
})

const inner = graph('inner', { state: { price: new Money(1), note: '' } })
  .node('deep', async ({ price }) => {
    const tax = await step('tax', () => new Money(price.cents * 2))
    const name = await interruptForInput('name?', { payload: { price } })
    return { note: `${name} ${tax.cents}` }
  })
  .edge(START, 'deep')
  .edge('deep', END)

const outer = graph('outer', {
  state: {
    price: new Money(0),
    note: '',
    sent: channel<number[]>({ initial: [], reduce: (a, b) => [...a, ...b] }),
  },
})
  .node('first', () => ({ price: new Money(100) }))
  .node('inner', inner)
  .node('each', async (sent) => {
    const { n } = sent as unknown as { n: Money }
    return (await interruptForApproval('ok?')) ? { sent: [n.cents] } : {}
  })
  .edge(START, 'first')
  .edge('first', 'inner')
  .branch('first', () => [new Send('each', { n: new Money(7) })], ['each'])
  .edge('inner', END)
  .edge('each', END)

/** The same for objects that hold one. */
function dearerIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, dearer(held) ?? held]))
}

async function exported(store: Store, threadId: string): Promise<Uint8Array> {
  const stored = await store.load(threadId)
  if (stored === undefined) throw new Error('the thread is wanted')
  return new TextEncoder().encode(`${JSON.stringify(threadDocument(stored))}\n`)
}

async function paused(): Promise<{ threads: Threads; threadId: string; bytes: Uint8Array }> {
  const threads = new Threads()
  const { threadId, interrupts } = await threads.start(outer, {}, { threadId: 'one' })
  expect(messages({ interrupts }).toSorted()).toEqual(['name?', 'ok?'])
  return { threads, threadId, bytes: await exported(threads.store, threadId) }
}

/** Euros in place of cents. */
const dearer = (value: unknown): unknown =>
  value instanceof Money ? new Money(value.cents + 1000) : undefined

/** The document in a new store, as import takes it in. */
async function takenIn(bytes: Uint8Array): Promise<Threads> {
  const document = JSON.parse(new TextDecoder().decode(bytes)) as {
    id: string
    flow: string
    meta: string
    records: [string, string][]
    interrupts: { id: string; ordinal: number; kind: string; body: string }[]
  }
  const store = memoryStore()
  const { id, flow, meta, records, interrupts } = document
  const { version } = await store.create({ id, flow, meta, status: 'suspended', records })
  await store.commit({
    threadId: id,
    expectVersion: version,
    fence: null,
    status: 'suspended',
    open: interrupts.map((row) => ({
      id: row.id,
      ordinal: row.ordinal,
      kind: row.kind,
      body: row.body,
    })),
  })
  return new Threads({ store })
}

test('S67 one type is changed at every level, and nothing else', async () => {
  const { bytes } = await paused()
  const seen: StoredValuePlace[] = []
  const migrated = migrateCheckpoint(bytes, (value, where) => {
    seen.push(where)
    return dearer(value)
  })
  expect(migrated).not.toEqual(bytes)
  expect(seen).toContainEqual(expect.objectContaining({ kind: 'state', key: 'price', nodes: [] }))
  expect(seen).toContainEqual(
    expect.objectContaining({ kind: 'state', key: 'price', nodes: ['inner'] }),
  )
  expect(seen).toContainEqual(
    expect.objectContaining({ kind: 'step', key: 'tax', nodes: ['inner', 'deep'] }),
  )
  expect(seen).toContainEqual(expect.objectContaining({ kind: 'input', nodes: ['each'] }))
  expect(seen).toContainEqual(
    expect.objectContaining({ kind: 'question', key: 'payload', nodes: ['inner', 'deep'] }),
  )

  const threads = await takenIn(migrated)
  const view = await threads.runner().get('one')
  expect(view.state).toMatchObject({ price: new Money(1100), note: '' })
})

test('S67 a thread goes on with what was migrated', async () => {
  const { bytes } = await paused()
  // The payload shows the price: with both changed alike, it is still the same question.
  const migrated = migrateCheckpoint(bytes, (value) => dearer(value) ?? dearerIn(value))
  const threads = await takenIn(migrated)
  const { interrupts } = await threads.runner().get('one')
  const done = await threads.resume(outer, 'one', {
    answers: Object.fromEntries(
      interrupts.map(({ id, kind }) => [id, kind === 'approval' ? true : 'Ann']),
    ),
  })

  expect(done).toMatchObject({ status: 'completed', state: { note: 'Ann 1200', sent: [1007] } })
})

test('S67 nothing changed gives the same bytes', async () => {
  const { bytes } = await paused()
  const copy = bytes.slice()

  expect(migrateCheckpoint(bytes, () => undefined)).toEqual(copy)
  expect(migrateCheckpoint(bytes, (value) => value)).toEqual(copy)
  const spaced = new TextEncoder().encode(
    JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2),
  )
  expect(migrateCheckpoint(spaced, () => undefined)).toEqual(spaced)
})

test('S67 an error of the function stops the migration', async () => {
  const { bytes } = await paused()
  const error = new Error('not that one')

  expect(() =>
    migrateCheckpoint(bytes, () => {
      throw error
    }),
  ).toThrow(error)
})

test('S67 what can not be decoded is an error that says where', async () => {
  const text = (value: unknown): Uint8Array =>
    new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
  const broken: readonly [Uint8Array, RegExp][] = [
    [text('{'), /checkpoint: it is not JSON/u],
    [new Uint8Array([0x22, 0xff, 0x22]), /checkpoint: it is not UTF-8/u],
    [text('null'), /neither a thread nor/u],
    [text({ records: [] }), /neither a thread nor/u],
    [text([['c / 1']]), /a record is not a key with its text/u],
    [text([['c / 1', '{']]), /c \/ 1: it is not JSON/u],
    [text([['c / 1', '{"key":"a","value":{"$type":"nosuchtype","value":1}}']]), /c \/ 1/u],
    [text({ records: [], interrupts: [{ id: 'i' }] }), /a question is damaged/u],
  ]
  for (const [bytes, message] of broken) {
    let caught: unknown
    try {
      migrateCheckpoint(bytes, () => undefined)
    } catch (error) {
      caught = error
    }
    expect(caught).toMatchObject({ code: 'E1308', message: expect.stringMatching(message) })
  }
})

test('a set of records alone is migrated too', async () => {
  const { threads, threadId } = await paused()
  const stored = await threads.store.load(threadId)
  const bytes = new TextEncoder().encode(JSON.stringify([...(stored?.records ?? [])]))
  const keys = new Set<string | undefined>()
  migrateCheckpoint(bytes, (_value, { kind, key }) => {
    if (kind === 'state') keys.add(key)
    return undefined
  })

  expect(keys).toEqual(new Set(['note', 'price', 'sent']))
})
