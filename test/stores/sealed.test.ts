import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { Inspection } from '../../src/stores/file/inspection.ts'
import { fileStore } from '../../src/stores/index.ts'
import { KeyRing } from '../../src/stores/sealed/key-ring.ts'
import { opening, sealing } from '../../src/stores/sealed/sealed-text.ts'
import { answers, askingThread, claimant, edit, newThread } from '../contracts/store-data.ts'
import { KEY, OTHER_KEY } from './keys.ts'
import { tempFolder } from './temp-folder.ts'

/** Every byte under a folder. */
function bytesUnder(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = files.map((file) => join(folder, file)).filter((path) => statSync(path).isFile())
  return Buffer.concat(paths.map((path) => readFileSync(path)))
}

/** A thread through every kind of write, with a text in each place that may hold one. */
async function live(store: Store, secret: (where: string) => string): Promise<void> {
  const text = (where: string): string => JSON.stringify({ [where]: secret(where) })
  const { fence } = await store.create(
    newThread('t', {
      status: 'running',
      meta: text('meta'),
      records: [['a', text('state')]],
      events: [text('event')],
      claim: claimant(),
    }),
  )
  const row = (id: string, ordinal: number) => ({ id, ordinal, kind: 'input', body: text(id) })
  const first = { status: 'running', open: [row('i_a', 1), row('i_b', 2), row('i_c', 3)] } as const
  await store.commit({ ...edit('t', 1, first), fence, events: [text('next')], meta: text('meta2') })
  await store.answer({ ...answers('t', { i_a: text('outside') }), source: text('source') })
  await store.takeAnswers('t', fence)
  const answer = { value: text('inside'), source: text('place'), by: 'ann', at: '', requestId: 'r' }
  const second = { status: 'suspended', release: true, consume: ['i_a'] } as const
  await store.commit({
    ...edit('t', 2, second),
    fence,
    answer: [{ id: 'i_b', answer }],
    puts: [
      ['b', text('more')],
      ['a', JSON.stringify(secret('big').repeat(20_000))],
    ],
  })
  await store.answer({ ...answers('t', { i_c: text('late') }), source: text('source2') })
  await store.putBlob(Buffer.from(secret('blob')))
  await store.prune('t', 2)
}

test('no byte under the folder tells what was asked, answered or worked out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[a-z0-9]{12,24}$/u), async (word) => {
      const folder = join(tempFolder(), '.hexagon')
      const store = fileStore(folder, { keys: [KEY] })
      await live(store, (where) => `${word}:${where}`)
      await store.close()
      const bytes = bytesUnder(folder)

      expect(bytes.includes(word)).toBe(false)
      expect(bytes.includes(Buffer.from(word).toString('base64').slice(2, -4))).toBe(false)
      expect(bytes.includes(KEY)).toBe(false)
      expect(JSON.stringify([...((await store.load('t'))?.records ?? [])])).toContain(word)
      expect(JSON.stringify(await store.load('t'))).toContain(`${word}:late`)
    }),
    { numRuns: 12 },
  )
})

test('without its key an encrypted store is refused as a whole, and nothing is written', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await askingThread(fileStore(folder, { keys: [KEY] }), 't', { ids: ['i_a'] })
  const before = bytesUnder(folder)
  const blind = fileStore(folder)

  const acts = [
    () => blind.load('t'),
    () => blind.pending(),
    () => blind.threads(),
    () => blind.create(newThread('u')),
    () => blind.answer(answers('t', { i_a: 'true' })),
    () => blind.claim('t', claimant()),
    () => blind.prune('t', 1),
    () => blind.delete('t'),
  ]
  for (const act of acts) await expect(act()).rejects.toMatchObject({ code: 'E1322' })

  expect(Buffer.compare(bytesUnder(folder), before)).toBe(0)
})

test('with another key threads are named as unreadable, and come back with the right one', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await askingThread(fileStore(folder, { keys: [KEY] }), 't', { ids: ['i_a'] })
  const other = fileStore(folder, { keys: [OTHER_KEY] })
  await other.create(newThread('u', { meta: '{"mine":1}' }))

  await expect(other.load('t')).rejects.toMatchObject({ code: 'E1323' })
  await expect(other.claim('t', claimant())).rejects.toMatchObject({ code: 'E1323' })
  const page = await other.threads()
  expect(page.items.map(({ id }) => id)).toEqual(['u'])
  expect(page.damaged).toEqual([expect.objectContaining({ threadId: 't', code: 'E1323' })])
  const both = fileStore(folder, { keys: [KEY, OTHER_KEY] })
  expect((await both.threads()).items.map(({ id }) => id)).toEqual(['t', 'u'])
  expect((await both.claim('t', claimant())).head.status).toBe('running')
})

test('a text that was changed, or put in the place of another, does not open', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder, { keys: [KEY] })
  for (const id of ['a', 'b']) {
    await store.create(
      newThread(id, {
        meta: `"${id}"`,
        records: [
          ['x', '1'],
          ['y', '2'],
        ],
      }),
    )
  }
  await store.create(newThread('c'))
  const path = (id: string): string => join(folder, 'threads', `${id}.json`)
  const documentOf = (id: string) => JSON.parse(readFileSync(path(id), 'utf8'))
  const original = documentOf('a')
  const tampered = [
    { ...original, meta: documentOf('b').meta },
    { ...original, records: { ...original.records, x: original.records.y } },
    { ...original, records: { ...original.records, x: documentOf('b').records.x } },
    { ...original, records: { x: { $sealed: flipped(original.records.x.$sealed) } } },
  ]

  for (const document of tampered) {
    writeFileSync(path('a'), JSON.stringify(document))
    await expect(store.load('a')).rejects.toMatchObject({ code: 'E1324' })
    await expect(store.claim('a', claimant())).rejects.toMatchObject({ code: 'E1324' })
  }
  writeFileSync(path('a'), JSON.stringify({ ...original, meta: documentOf('b').meta }))
  const { items, damaged } = await store.threads()
  expect(items.map(({ id }) => id)).toEqual(['b', 'c'])
  expect(damaged).toEqual([expect.objectContaining({ threadId: 'a', code: 'E1324' })])
})

test('a plain store that gets a key reads what it has, and encrypts what is new', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const plain = fileStore(folder)
  await plain.create(newThread('t', { meta: '{"old":"meta"}', records: [['a', '"old state"']] }))
  await plain.close()
  const store = fileStore(folder, { keys: [KEY] })

  await store.commit(edit('t', 1, { puts: [['b', '"new state"']], events: ['"new event"'] }))

  expect([...((await store.load('t'))?.records ?? [])]).toEqual([
    ['a', '"old state"'],
    ['b', '"new state"'],
  ])
  const bytes = bytesUnder(folder)
  expect(bytes.includes('old state')).toBe(true)
  expect(bytes.includes('new state')).toBe(false)
  await expect(fileStore(folder).load('t')).rejects.toMatchObject({ code: 'E1322' })
})

test('a refused answer tells what is open in words', async () => {
  const store = fileStore(join(tempFolder(), '.hexagon'), { keys: [KEY] })
  await askingThread(store, 't', { ids: ['i_a', 'i_b'] })
  await store.answer(answers('t', { i_a: 'true' }))

  const again = store.answer(answers('t', { i_a: 'true' }))
  await expect(again).rejects.toMatchObject({
    code: 'E1307',
    hint: expect.stringContaining('May I i_b?'),
  })
  const unknown = store.answer(answers('t', { i_x: 'true' }))
  await expect(unknown).rejects.toMatchObject({
    code: 'E1214',
    hint: expect.stringContaining('May I i_b?'),
  })
})

test('what a repair has added to a sealed text belongs to the opened one', () => {
  const ring = new KeyRing([KEY])
  const place = ['meta', 't'] as const
  const sealed = sealing(ring)('{"a":1}', place)
  const marked = JSON.stringify({ ...JSON.parse(sealed), inDoubt: { at: 'now' } })

  expect(JSON.parse(opening(ring)(marked, place))).toEqual({ a: 1, inDoubt: { at: 'now' } })
})

test('any text comes back, and no two seals of it are alike', () => {
  const ring = new KeyRing([OTHER_KEY])
  const [seal, open] = [sealing(ring), opening(ring)]
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.array(fc.string()),
      (text, where) => {
        const place = ['record', 't', ...where] as const
        const sealed = seal(text, place)
        expect(open(sealed, place)).toBe(text)
        expect(seal(text, place)).not.toBe(sealed)
        expect(() => open(sealed, ['record', 'u', ...where])).toThrow(/Thread "u"/u)
      },
    ),
  )
})

test('keys are hex or base64 of 32 bytes, and one that is none is not shown', () => {
  expect(new KeyRing([KEY.toUpperCase()]).keyId).toBe(new KeyRing([KEY]).keyId)
  for (const bad of [['secret'], [KEY.slice(1)], [`${KEY}00`], []]) {
    expect(() => new KeyRing(bad)).toThrow(
      expect.objectContaining({ code: 'E1325', message: expect.not.stringContaining('secret') }),
    )
  }
})

function flipped(sealed: string): string {
  const last = sealed.at(-6) === 'A' ? 'B' : 'A'
  return `${sealed.slice(0, -6)}${last}${sealed.slice(-5)}`
}

test('an inspection with the key tells what does not open from what is damaged', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder, { keys: [KEY] })
  for (const id of ['whole', 'swapped', 'broken'])
    await store.create(newThread(id, { meta: '{"a":1}' }))
  await store.close()
  const path = (id: string): string => join(folder, 'threads', `${id}.json`)
  const documentOf = (id: string) => JSON.parse(readFileSync(path(id), 'utf8'))
  writeFileSync(
    path('swapped'),
    JSON.stringify({ ...documentOf('swapped'), meta: documentOf('whole').meta }),
  )
  writeFileSync(path('broken'), '{')

  const withKey = await new Inspection(folder, { keys: [KEY] }).inspect()
  const without = await new Inspection(folder).inspect()

  const kinds = ({ findings }: typeof withKey) =>
    findings
      .filter(({ kind }) => kind !== 'descriptor')
      .map(({ kind, threadId = '' }) => `${threadId} ${kind}`)
  expect(kinds(withKey)).toEqual(['broken damaged', 'swapped sealed'])
  expect(kinds(without)).toEqual([' sealed', 'broken damaged'])
  expect(without.findings[0]).toMatchObject({ weight: 'note' })
  expect(withKey.findings.find(({ kind }) => kind === 'sealed')?.repair).toBeUndefined()
})

test('a damaged thread is restored without its key, and opens with it', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder, { keys: [KEY] })
  await store.create(newThread('t', { meta: '{"a":1}' }))
  await store.commit(edit('t', 1, { puts: [['x', '"kept"']] }))
  await store.close()
  writeFileSync(join(folder, 'threads', 't.json'), '{')

  const { findings } = await new Inspection(folder).inspect()
  for (const { repair } of findings) await repair?.()

  const thread = await fileStore(folder, { keys: [KEY] }).load('t')
  expect(thread?.records.get('x')).toBe('"kept"')
  expect(JSON.parse(thread?.head.meta ?? '')).toMatchObject({ a: 1 })
})
