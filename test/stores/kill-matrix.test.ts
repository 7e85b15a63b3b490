import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Store, StoredThread } from '../../src/core/store.ts'
import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { allPending, allThreads, claimant } from '../contracts/store-data.ts'
import { bundle } from '../support/bundle.ts'
import { quickTempRoot } from './temp-folder.ts'

/** What the scenario was sure of before it ended. */
interface Facts {
  readonly points: readonly string[]
  readonly version: number
  readonly answered: readonly string[]
  readonly hasEnded: boolean
}

const root = mkdtempSync(join(quickTempRoot(), 'hexagon-kill-'))
const script = join(root, 'kill-scenario.mjs')

// Bundled once: each of the many processes then starts in a moment.
beforeAll(() => bundle(join(import.meta.dirname, 'kill-scenario.ts'), script))
afterAll(() => rmSync(root, { recursive: true }))

type Kind = 'file' | 'sqlite'

test.each([
  ['file', 15],
  ['sqlite', 5],
] as const)(
  'killed between any two effects on the disk, a thread loses nothing it was sure of: %s',
  { timeout: 300_000 },
  async (kind, kinds) => {
    const { points } = await scenario(kind, 'all', 0)
    expect(new Set(points).size).toBeGreaterThan(kinds)
    const rest = [...points.entries()]
    const lost: string[] = []

    const worker = async (): Promise<void> => {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const [index, point] = next
        const problems = await problemsAfter(kind, index + 1)
        lost.push(...problems.map((problem) => `${index + 1} ${point}: ${problem}`))
      }
    }
    await Promise.all([worker(), worker(), worker()])

    expect(lost).toEqual([])
  },
)

async function problemsAfter(kind: Kind, target: number): Promise<string[]> {
  const folder = join(root, `${kind}-${target}`)
  const facts = await scenario(kind, String(target), target)
  const problems = await problemsIn(kind, folder, facts).catch((error: unknown) => [String(error)])
  rmSync(folder, { recursive: true })
  return problems
}

async function scenario(kind: Kind, name: string, target: number): Promise<Facts> {
  const path = placeOf(kind, join(root, `${kind}-${name}`))
  const { stdout, stderr, signal } = await ended([script, kind, path, String(target)])
  expect({ signal, stderr }).toEqual({ signal: target === 0 ? null : 'SIGKILL', stderr: '' })
  const lines = stdout.split('\n').filter((line) => line !== '')
  const facts: Record<string, unknown>[] = lines.map((line) => JSON.parse(line))
  return {
    points: facts.flatMap(({ point }) => (typeof point === 'string' ? [point] : [])),
    version: Math.max(0, ...facts.map(({ version }) => Number(version ?? 0))),
    answered: facts.flatMap(({ answered }) => (typeof answered === 'string' ? [answered] : [])),
    hasEnded: facts.some((fact) => fact['ended'] === true),
  }
}

function ended(
  args: readonly string[],
): Promise<{ stdout: string; stderr: string; signal: string | null }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_error, stdout, stderr) => {
      resolve({ stdout, stderr, signal: child.signalCode })
    })
  })
}

function placeOf(kind: Kind, folder: string): string {
  return join(folder, kind === 'file' ? '.hexagon' : 'threads.db')
}

async function problemsIn(kind: Kind, folder: string, facts: Facts): Promise<string[]> {
  const path = placeOf(kind, folder)
  const store = kind === 'file' ? fileStore(path) : sqliteStore(path)
  const problems: string[] = []
  const check = (isRight: boolean, what: string): void => void (isRight || problems.push(what))
  const lists = [await store.pending(), await store.threads()]
  check(
    lists.every(({ damaged }) => damaged.length === 0),
    'a list shows damage',
  )
  if ((await store.load('t')) === undefined) {
    check(facts.version === 0, 'the thread is gone')
    await store.create({ id: 't', flow: 'f', meta: '{}', status: 'suspended', records: [] })
    await store.close()
    return problems
  }
  await checkThread(store, facts, check)
  await checkGoingOn(store, check)
  await store.close()
  if (kind === 'sqlite') return problems
  await fileStore(path).init()
  const left = readdirSync(join(path, 'tmp'))
  check(left.length === 0, `temporary files are left: ${left.join()}`)
  return problems
}

type Check = (isRight: boolean, what: string) => void

async function checkThread(store: Store, facts: Facts, check: Check): Promise<void> {
  const thread = await loaded(store)
  const { version } = thread.head
  check(!facts.hasEnded || thread.head.status === 'completed', 'the end is lost')
  check(version >= facts.version && version <= facts.version + 1, `version is ${version}`)
  check(thread.records.get('n') === String(version), 'the state is of another version')
  const rows = new Map(thread.interrupts.map(({ id, status }) => [id, status]))
  const lost = facts.answered.filter((id) => !['answered', 'consumed'].includes(rows.get(id) ?? ''))
  check(lost.length === 0, `answers are lost: ${lost.join()}`)
  await checkPast(store, version, check)
  const open = [...rows.keys()].filter((id) => rows.get(id) === 'open')
  const listed = (await allPending(store)).flatMap((item) => item.open.map(({ id }) => id))
  check(listed.join() === open.join(), `pending shows ${listed.join()}, open is ${open.join()}`)
  check((await allThreads(store)).length === 1, 'the thread is listed twice or not at all')
}

async function checkPast(store: Store, version: number, check: Check): Promise<void> {
  const versions = (await store.history('t')).map((info) => info.version)
  check(isDown(versions, version), `history is ${versions.join()}`)
  const events = await store.events('t')
  const next = events.map(({ body }) => Number(JSON.parse(body).next))
  check(isDown(next.toReversed(), version), `events are ${next.join()}`)
  const past = await store.checkpointAt('t', version)
  check(past?.records.get('n') === String(version), 'the checkpoint is of another version')
}

async function loaded(store: Store): Promise<StoredThread> {
  const thread = await store.load('t')
  if (thread === undefined) throw new Error('the thread is gone')
  return thread
}

async function checkGoingOn(store: Store, check: Check): Promise<void> {
  const before = await loaded(store)
  const { fence, head } = await store.claim('t', claimant('next'))
  check(fence > before.head.fence, 'the fence did not rise')
  const { version } = await store.commit({
    threadId: 't',
    expectVersion: head.version,
    fence,
    status: 'completed',
    release: true,
    puts: [['n', String(head.version + 1)]],
    events: ['"last"'],
  })
  const after = await loaded(store)
  check(after.head.version === version && after.head.status === 'completed', 'it does not go on')
  check((await store.events('t')).at(-1)?.body === '"last"', 'the new event is lost')
  check((await store.checkpointAt('t', 1))?.records.get('n') === '1', 'version 1 is lost')
}

function isDown(numbers: readonly number[], from: number): boolean {
  return numbers.join() === Array.from({ length: from }, (_, index) => from - index).join()
}
