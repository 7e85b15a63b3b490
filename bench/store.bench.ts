// What the file store costs beside the bare system calls, both in one run:
//   node --import tsx --conditions=hexagon:source bench/store.bench.ts

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileStore } from '../src/stores/index.ts'
import type { Store } from '../src/stores/index.ts'

const root = mkdtempSync(join(tmpdir(), 'hexagon-bench-'))
const holder = { pid: process.pid, host: 'bench', since: new Date().toISOString() }
const claimant = { owner: 'bench', holder, leaseMs: 60_000 }

try {
  await commits()
  await questions(1000)
  await questions(10_000)
  await pending({ stored: 10_000, open: 100 })
  await pending({ stored: 10_000, open: 10_000 })
} finally {
  rmSync(root, { recursive: true })
}

/** They take turns, so that a busy moment of the machine meets both sides. */
async function commits(): Promise<void> {
  // A store each: a process runs one thread as a rule.
  const keys = ['00'.repeat(32)]
  const stores = [
    fileStore(join(root, 'small')),
    fileStore(join(root, 'large')),
    fileStore(join(root, 'sealed'), { keys }),
  ] as const
  const small = await claimed(stores[0], 'small', 1000)
  const large = await claimed(stores[1], 'large', 1_000_000)
  const sealed = await claimed(stores[2], 'sealed', 1000)
  const fd = openSync(join(root, 'bare'), 'a')
  const line = Buffer.alloc(1100, 97)
  const bare: number[] = []
  const own: number[] = []
  const big: number[] = []
  const closed: number[] = []
  for (let round = 0; round < 2000; round++) {
    bare.push(await timed(() => append(fd, line)))
    own.push(await timed(() => small(1000)))
    closed.push(await timed(() => sealed(1000)))
    if (round % 4 === 0) big.push(await timed(() => large(1000)))
  }
  closeSync(fd)
  for (const store of stores) await store.close()
  const base = median(bare)
  report('append + fdatasync, 1.1 kB', base, base)
  report('commit of 1 kB', median(own), base)
  report('commit of 1 kB, state of 1 MB', median(big), base)
  report('commit of 1 kB, encrypted', median(closed), base)
  report('encrypted against plain', median(closed), median(own))
  report(
    'step 1,000 to 2,000 against step 1 to 1,000',
    mean(own.slice(1000)),
    mean(own.slice(0, 1000)),
  )
}

async function questions(count: number): Promise<void> {
  const store = fileStore(join(root, `questions-${count}`))
  const ids = Array.from({ length: count }, (_, index) => `i_${index}`)
  const body = JSON.stringify({ message: 'May I?', payload: 'x'.repeat(300) })
  const { fence } = await store.create({
    id: 't',
    flow: 'bench',
    meta: '{}',
    status: 'running',
    records: [],
    claim: claimant,
  })
  const open = ids.map((id, index) => ({ id, ordinal: index + 1, kind: 'approval', body }))
  const label = `${count.toLocaleString('en')} questions`
  log(
    `${label}: suspend`,
    await timed(() =>
      store.commit({
        threadId: 't',
        expectVersion: 1,
        fence,
        status: 'suspended',
        release: true,
        open,
      }),
    ),
  )
  log(`${label}: load`, await timed(() => store.load('t')))
  log(`${label}: pending`, await timed(() => store.pending()))
  log(`${label}: answer one`, await timed(() => store.answer(request(['i_0']))))
  log(`${label}: answer all`, await timed(() => store.answer(request(ids.slice(1)))))
  log(`${label}: claim`, await timed(() => store.claim('t', claimant)))
  log(
    `${label}: consume all and end`,
    await timed(() =>
      store.commit({
        threadId: 't',
        expectVersion: 2,
        fence: 2,
        status: 'completed',
        release: true,
        consume: ids,
      }),
    ),
  )
  await store.close()
}

function request(ids: readonly string[]) {
  const answers = ids.map((id) => ({ id, value: 'true' }))
  return { threadId: 't', answers, source: '{}', by: 'bench', requestId: String(performance.now()) }
}

async function pending(counts: { stored: number; open: number }): Promise<void> {
  const store = fileStore(join(root, `pending-${counts.open}`))
  const body = JSON.stringify({ message: 'May I?', payload: 'x'.repeat(300) })
  const made = performance.now()
  for (let index = 0; index < counts.stored; index++) {
    const id = `t${index}`
    const { fence } = await store.create({
      id,
      flow: 'bench',
      meta: '{}',
      status: 'running',
      records: [['state', body]],
      claim: claimant,
    })
    const isOpen = index % (counts.stored / counts.open) === 0
    const open = isOpen ? [{ id: `i_${index}`, ordinal: 1, kind: 'approval', body }] : []
    const status = isOpen ? 'suspended' : 'completed'
    await store.commit({ threadId: id, expectVersion: 1, fence, status, open, release: true })
  }
  const each = (performance.now() - made) / counts.stored
  log('create, claim, commit to rest', each)
  const label = `${counts.open.toLocaleString('en')} open of ${counts.stored.toLocaleString('en')}`
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    times.push(await timed(() => store.pending({ limit: 20_000 })))
  }
  log(`pending, ${label}`, median(times))
  log(`pending, first 20, ${label}`, await timed(() => store.pending({ limit: 20 })))
}

async function claimed(store: Store, id: string, bytes: number) {
  const records = [['state', JSON.stringify('x'.repeat(bytes))]] as const
  const { fence } = await store.create({
    id,
    flow: 'bench',
    meta: '{}',
    status: 'running',
    records,
    claim: claimant,
  })
  let version = 1
  return (size: number) =>
    store.commit({
      threadId: id,
      expectVersion: version++,
      fence,
      status: 'running',
      puts: [['small', JSON.stringify('y'.repeat(size))]],
      events: ['{"type":"node:end"}'],
    })
}

async function append(fd: number, line: Buffer): Promise<void> {
  writeSync(fd, line)
  fdatasyncSync(fd)
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length
}

function report(what: string, ms: number, base: number): void {
  console.log(`${what}: ${(ms * 1000).toFixed(0)} µs, × ${(ms / base).toFixed(2)}`)
}

function log(what: string, ms: number): void {
  console.log(`${what}: ${ms.toFixed(2)} ms`)
}
