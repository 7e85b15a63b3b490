// The life of a thread, through every kind of write, in a process that ends itself at one of the store's
// fault points. What it was sure of it says before it goes on, one line each.
//
//   node kill-scenario.mjs <file|sqlite> <path> <number of the fault point, 0 for none>

import { writeSync } from 'node:fs'

import type { Store } from '../../src/core/store.ts'
import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { answers, claimant, question } from '../contracts/store-data.ts'

const [kind = 'file', path = '', target = '0'] = process.argv.slice(2)
let passed = 0

const store = open((point) => {
  passed++
  if (target === '0') say({ point })
  if (String(passed) === target) process.kill(process.pid, 'SIGKILL')
})
const outside = open()

await firstRun(store)
await secondRun(store)

async function firstRun(holder: Store): Promise<void> {
  const { fence } = await holder.create({
    id: 't',
    flow: 'test',
    meta: '{}',
    status: 'running',
    records: [['n', '1']],
    events: ['{"next":1}'],
    claim: claimant(),
  })
  say({ version: 1 })
  await step(holder, 1, { fence, open: [question('i_a', 1), question('i_b', 2)] })
  await outside.answer(answers('t', { i_a: '"early"' }))
  say({ answered: 'i_a' })
  const taken = await holder.takeAnswers('t', fence)
  say({ taken: taken.map(({ id }) => id) })
  await step(holder, 2, { fence, consume: ['i_a'] })
  await step(holder, 3, { fence, status: 'suspended', release: true })
}

async function secondRun(holder: Store): Promise<void> {
  await holder.answer(answers('t', { i_b: '"late"' }))
  say({ answered: 'i_b' })
  const { fence, head } = await holder.claim('t', claimant())
  // Outgrows the log, so that it is rotated while the thread runs.
  const large = [['large', JSON.stringify('x'.repeat(1_100_000))]] as const
  await step(holder, head.version, { fence, puts: large })
  await step(holder, head.version + 1, { fence, deletes: ['large'] })
  await step(holder, head.version + 2, {
    fence,
    consume: ['i_b'],
    status: 'completed',
    release: true,
  })
  say({ ended: true })
}

async function step(
  holder: Store,
  version: number,
  parts: Partial<Parameters<Store['commit']>[0]> & { readonly fence: number },
): Promise<void> {
  const next = version + 1
  const { puts = [] } = parts
  await holder.commit({
    threadId: 't',
    expectVersion: version,
    status: 'running',
    events: [JSON.stringify({ next })],
    ...parts,
    puts: [['n', String(next)], ...puts],
  })
  say({ version: next })
}

function open(onFaultPoint?: (point: string) => void): Store {
  const options = onFaultPoint === undefined ? {} : { onFaultPoint }
  return kind === 'sqlite' ? sqliteStore(path, options) : fileStore(path, options)
}

function say(fact: object): void {
  writeSync(1, `${JSON.stringify(fact)}\n`)
}
