import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { entryOf } from '../../src/stores/file/audit-line.ts'
import { arrivalsOf, readAudit } from '../../src/stores/file/audit.ts'
import type { FaultPoint } from '../../src/stores/file/disk.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, askingThread, claimant, edit } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

const ANSWER = {
  value: 'true',
  source: '{"via":"prompt","osUser":"bea","digest":"d1"}',
  by: 'bea',
  at: '2026-01-01T00:00:00.000Z',
  requestId: 'r-bea',
}

interface SetUp {
  readonly folder: string
  readonly path: string
  readonly store: Store
}

async function asking(onFaultPoint?: (point: FaultPoint) => void): Promise<SetUp> {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder, onFaultPoint === undefined ? {} : { onFaultPoint })
  await askingThread(store, 't', { ids: ['i_1', 'i_2', 'i_3'] })
  return { folder, path: join(folder, 'audit.jsonl'), store }
}

/** One answer from outside, two of the holder. */
async function threeAnswers(): Promise<SetUp> {
  const set = await asking()
  const { store } = set
  await store.answer(answers('t', { i_1: 'true' }, { by: 'ann', requestId: 'r-ann' }))
  const { fence } = await store.claim('t', claimant())
  const given = ['i_2', 'i_3'].map((id) => ({ id, answer: ANSWER }))
  await store.commit({ ...edit('t', 2, { answer: given, release: true }), fence })
  return set
}

test('every answer has a line: who, what, when, from where', async () => {
  const { folder, path } = await threeAnswers()

  const { lines, broken, head } = readAudit(folder)

  expect(broken).toBeUndefined()
  expect(head).toMatch(/^[0-9a-f]{64}$/u)
  expect(lines).toMatchObject([
    { n: 1, thread: 't', interrupt: 'i_1', kind: 'approval', by: 'ann', requestId: 'r-ann' },
    { n: 2, interrupt: 'i_2', by: 'bea', source: { osUser: 'bea', digest: 'd1' }, value: true },
    { n: 3, interrupt: 'i_3', at: ANSWER.at, requestId: 'r-bea' },
  ])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await arrivalsOf(fileStore(folder), lines)).toEqual(['arrived', 'arrived', 'arrived'])
})

test('a refused or repeated answer leaves no line', async () => {
  const { folder, store } = await asking()
  const request = answers('t', { i_1: '1' })
  await store.answer(request)
  await store.answer(request)
  await expect(store.answer(answers('t', { i_1: '2' }))).rejects.toMatchObject({ code: 'E1307' })
  await expect(store.answer(answers('t', { i_9: '2' }))).rejects.toThrow('i_9')

  expect(readAudit(folder).lines).toHaveLength(1)
})

test('what may be secret is not in it', async () => {
  const { folder, path, store } = await asking()
  const input = { id: 'i_in', ordinal: 9, kind: 'input', body: '{}' }
  await store.commit(edit('t', 2, { open: [input] }))

  await store.answer(answers('t', { i_in: '"pa55word"' }))

  expect(readAudit(folder).lines).toMatchObject([{ interrupt: 'i_in', kind: 'input' }])
  expect(readFileSync(path, 'utf8')).not.toContain('pa55word')
})

test('it stays when the thread is deleted', async () => {
  const { folder, store } = await threeAnswers()
  await store.delete('t')

  const { lines } = readAudit(folder)

  expect(lines).toHaveLength(3)
  expect(await arrivalsOf(fileStore(folder), lines)).toEqual(['unknown', 'unknown', 'unknown'])
})

test.each([
  ['a changed line', (text: string) => text.replace('"ann"', '"bob"'), 2],
  ['a removed line', (text: string) => text.split('\n').toSpliced(1, 1).join('\n'), 2],
  ['a removed first line', (text: string) => text.split('\n').slice(1).join('\n'), 1],
  ['a line of another kind', (text: string) => text.replace('{"n":2', '{"m":2'), 2],
  ['lines in another order', (text: string) => text.split('\n').toSorted().join('\n'), 1],
])('%s breaks the chain, and the first broken line is named', async (_, change, line) => {
  const { folder, path } = await threeAnswers()
  writeFileSync(path, change(readFileSync(path, 'utf8')))

  expect(readAudit(folder).broken).toMatchObject({ line })
})

test.each(['audit:write', 'audit:written', 'inbox:write'] as const)(
  'no answer is stored without its line when the disk fails at %s',
  async (failing) => {
    let isFailing = false
    const { folder, store } = await asking((point) => {
      if (isFailing && point === failing) throw Object.assign(new Error('x'), { code: 'ENOSPC' })
    })
    isFailing = true
    await expect(store.answer(answers('t', { i_1: '1' }))).rejects.toMatchObject({ code: 'E1311' })
    isFailing = false
    expect((await store.load('t'))?.interrupts[0]?.status).toBe('open')

    await store.answer(answers('t', { i_1: '2' }))

    const { lines, broken } = readAudit(folder)
    expect(broken).toBeUndefined()
    const arrivals = await arrivalsOf(fileStore(folder), lines)
    expect(arrivals.at(-1)).toBe('arrived')
    expect(arrivals.slice(0, -1).every((arrival) => arrival === 'missing')).toBe(true)
  },
)

test('a line that was cut off is replaced by the next', async () => {
  const { folder, path, store } = await threeAnswers()
  appendFileSync(path, '{"n":4,"prev":"12')
  expect(readAudit(folder).lines).toHaveLength(3)
  await askingThread(store, 'u', { ids: ['i_u'] })

  await store.answer(answers('u', { i_u: '1' }))

  expect(readAudit(folder)).toMatchObject({ lines: [{}, {}, {}, { n: 4, thread: 'u' }] })
  expect(readAudit(folder).broken).toBeUndefined()
})

test('answers given at once by many stores make one chain', async () => {
  const { folder, store } = await asking()
  const ids = Array.from({ length: 12 }, (_, index) => `t${index}`)
  for (const id of ids) await askingThread(store, id, { ids: [`i_${id}`] })

  await Promise.all(ids.map((id) => fileStore(folder).answer(answers(id, { [`i_${id}`]: '1' }))))

  const { lines, broken } = readAudit(folder)
  expect(broken).toBeUndefined()
  expect(lines.map(({ thread }) => thread).toSorted()).toEqual(ids.toSorted())
})

test.each([
  ['"run"', 'run'],
  ['"happened"', 'happened'],
  ['{"happened":true,"result":"secret"}', 'happened'],
  ['{"happened":false}', 'run'],
])('of a step in doubt it says what was decided, not the result: %s', (value, decided) => {
  const entry = entryOf('t', 'doubt', { id: 'i_1', answer: { ...ANSWER, value } })

  expect(entry.value).toBe(decided)
  expect(JSON.stringify(entry)).not.toContain('secret')
})
