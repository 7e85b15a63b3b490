import { readdirSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'

import type {
  Damage,
  Page,
  PendingQuery,
  PendingThread,
  ThreadHead,
  ThreadQuery,
} from '../../core/store.ts'
import { headOf, isClosed, openOf, type ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import { isPlainName } from './file-name.ts'
import { applyInbox, readInbox } from './inbox.ts'
import { nameBefore, type Layout, type ThreadFiles } from './layout.ts'
import { leaseIn, readOwner } from './lock-owner.ts'
import { unlessMissing } from './store-error.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage, readThread } from './thread-reader.ts'
import { readDescriptor, type Descriptor } from './waiting.ts'

/** A thread's name among the open ones, and which passing files it has. */
export interface OpenEntry {
  readonly name: string
  readonly isLocked: boolean
  readonly hasInbox: boolean
}

/** How many threads are looked at before others get a turn. */
const BATCH = 256
const DEFAULT_LIMIT = 100

/** The names of the threads that have not ended, in order. */
export function openEntries(layout: Layout): OpenEntry[] {
  const files = unlessMissing(() => readdirSync(layout.threads)) ?? []
  const names = new Set<string>()
  const all = new Set(files)
  for (const file of files) {
    const name = nameBefore(file, '.json') ?? nameBefore(file, '.log')
    if (name !== undefined) names.add(name)
  }
  return [...names].toSorted().map((name) => ({
    name,
    isLocked: all.has(`${name}.lock`),
    hasInbox: all.has(`${name}.inbox`),
  }))
}

/** The names of the threads that have ended. */
export function doneNames(layout: Layout): string[] {
  const files = unlessMissing(() => readdirSync(layout.done)) ?? []
  return files.map((file) => nameBefore(file, '.json')).filter((name) => name !== undefined)
}

/** Reads what lists need of an open thread: the descriptor if it is fresh, else the thread. @throws DamagedError */
export async function readSummary(
  files: ThreadFiles,
  disk: Disk,
  entry: Pick<OpenEntry, 'hasInbox'>,
): Promise<ThreadState | undefined> {
  // As in reading a thread: what leaves the inbox afterwards makes the descriptor stale.
  const inbox = entry.hasInbox ? readInbox(files.inbox) : undefined
  const descriptor = readDescriptor(files)
  if (descriptor === undefined) return (await readThread(files, disk))?.state
  const state = stateIn(descriptor)
  if (inbox !== undefined) applyInbox(state, inbox)
  return state
}

/** Open questions by thread. @throws StoreWriteError E1317, NewerFormatError */
export async function listPending(
  { layout, disk }: Pick<Surroundings, 'layout' | 'disk'>,
  query: PendingQuery,
): Promise<Page<PendingThread>> {
  const only = query.threadId === undefined ? undefined : layout.filesOf(query.threadId).name
  const entries = openEntries(layout).filter(
    ({ name }) => isBehind(name, query.after) && (only === undefined || only === name),
  )
  const read = async (entry: OpenEntry): Promise<PendingThread | undefined> => {
    const files = layout.filesNamed(entry.name)
    const state = await readSummary(files, disk, entry)
    if (state === undefined || isClosed(state.status) || state.open === 0) return undefined
    if (query.flow !== undefined && query.flow !== state.flow) return undefined
    const head = headAt(state, files, entry.isLocked)
    return { head, open: openOf(state), answered: state.answered }
  }
  return pageOf(entries, read, query.limit)
}

/** Threads, also those that have ended. @throws StoreWriteError E1317, NewerFormatError */
export async function listHeads(
  { layout, disk }: Pick<Surroundings, 'layout' | 'disk'>,
  query: ThreadQuery,
): Promise<Page<ThreadHead>> {
  const entries = allEntries(layout, query).filter(({ name }) => isBehind(name, query.after))
  const read = async (entry: OpenEntry): Promise<ThreadHead | undefined> => {
    const files = layout.filesNamed(entry.name)
    const state = await readSummary(files, disk, entry)
    if (state === undefined) return undefined
    if (query.status !== undefined && !query.status.includes(state.status)) return undefined
    if (query.flow !== undefined && query.flow !== state.flow) return undefined
    return headAt(state, files, entry.isLocked)
  }
  return pageOf(entries, read, query.limit)
}

function allEntries(layout: Layout, { status }: ThreadQuery): OpenEntry[] {
  const open = openEntries(layout)
  if (status !== undefined && !status.some(isClosed)) return open
  const names = new Set(open.map(({ name }) => name))
  const done = doneNames(layout).filter((name) => !names.has(name))
  const entries = done.map((name) => ({ name, isLocked: false, hasInbox: false }))
  return [...open, ...entries].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function isBehind(name: string, after: string | undefined): boolean {
  return after === undefined || name > after
}

/** A state's head, with whoever holds the thread. */
function headAt(state: ThreadState, files: ThreadFiles, isLocked: boolean): ThreadHead {
  const owner = isLocked ? readOwner(files.lock) : undefined
  return headOf(state, owner && leaseIn(owner))
}

/** Walks keys until a page is full. What is damaged is listed beside, and stops nothing. */
async function pageOf<Key extends { readonly name: string }, Item>(
  keys: readonly Key[],
  read: (key: Key) => Promise<Item | undefined>,
  limit: number = DEFAULT_LIMIT,
): Promise<Page<Item>> {
  const items: Item[] = []
  const damaged: Damage[] = []
  let last: string | undefined
  for (const [index, key] of keys.entries()) {
    if (index % BATCH === BATCH - 1) await breathe()
    const item = await read(key).catch((error: unknown) => {
      damaged.push(damageOf(key.name, error))
      return undefined
    })
    if (item !== undefined && items.length >= limit) {
      return last === undefined ? { items, damaged } : { items, damaged, next: last }
    }
    if (item !== undefined) items.push(item)
    last = key.name
  }
  return { items, damaged }
}

/** What a list says of a thread it can't read; other errors are thrown on. */
function damageOf(name: string, error: unknown): Damage {
  if (!isDamage(error)) throw error
  const { file, problem = error.message } = error.details
  const thread = isPlainName(name) ? { threadId: name } : {}
  return { ...thread, file: String(file), problem: String(problem) }
}

/** A state with the open questions only. */
function stateIn(descriptor: Descriptor): ThreadState {
  const { open, answered, runAfter, ...rest } = descriptor
  return {
    ...rest,
    runAfter,
    answered,
    open: open.length,
    interrupts: new Map(open.map((row) => [row.id, row])),
    records: new Map(),
    claimedFrom: undefined,
    events: 0,
  }
}
