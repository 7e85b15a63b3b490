import { StoredValueError } from '../core/codec.ts'
import type { AnsweredInterrupt, TaskView, ThreadView } from '../core/command.ts'
import type { ErrorRecord } from '../core/event.ts'
import type { InterruptRow, StoredThread } from '../core/store.ts'
import { lineage, ownerOf, ROOT } from '../runtime/restored.ts'
import { sourceOf } from './resolve-answers.ts'
import { stepsInDoubt } from './steps-in-doubt.ts'
import { metaOf, parse, runRecordOf, seenOf, questionOf } from './thread-record.ts'
import { holderOf, statusOf } from './thread-status.ts'

interface TaskRecord {
  readonly id: string
  readonly node: string
  readonly subId?: string
  readonly step: number
  readonly error?: ErrorRecord
}

/** Everything about a stored thread, without its flow. @throws StoredValueError */
export function viewOf(thread: StoredThread, gid = ROOT): ThreadView {
  try {
    return view(thread, gid)
  } catch (cause) {
    // Each record was read, but they are not what an engine writes.
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause
    throw new StoredValueError(`thread ${thread.head.id}`, 'its records do not fit together', {
      cause,
    })
  }
}

function view(thread: StoredThread, gid: string): ThreadView {
  const { head } = thread
  const { input, output } = runRecordOf(thread)
  const meta = metaOf(head)
  const interrupts = thread.interrupts
    .filter(({ status }) => status === 'open')
    .map((row) => seenOf(row, head.id))
  const tasks = tasksOf(thread, gid)
  const holder = holderOf(head.lease)
  const status = statusOf(head)
  const inDoubt = stepsInDoubt(thread, status)
  return {
    threadId: head.id,
    flow: head.flow,
    status,
    version: head.version,
    steps: meta.steps ?? Math.max(0, ...tasks.map(({ step }) => step)),
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    input,
    state: stateOf(thread, gid),
    ...(head.status === 'completed' ? { output } : {}),
    next: [...new Set(tasks.map(({ node }) => node))],
    tasks,
    interrupts,
    answered: answeredOf(thread),
    ...(meta.error === undefined ? {} : { error: meta.error }),
    ...(inDoubt.length === 0 ? {} : { inDoubt }),
    meta,
    ...(holder === undefined ? {} : { holder }),
  }
}

function tasksOf(thread: StoredThread, gid: string): TaskView[] {
  const waiting = waitingIn(thread)
  const tasks: TaskView[] = []
  for (const [key, text] of thread.records) {
    if (!key.startsWith('t ') || ownerOf(key.slice(2)) !== gid) continue
    tasks.push(taskOf(parse<TaskRecord>(text, key), waiting.get(key.slice(2)) ?? []))
  }
  return tasks
}

function taskOf(record: TaskRecord, interrupts: readonly string[]): TaskView {
  const { id, node, subId, step, error } = record
  const task = { id, node, ...(subId === undefined ? {} : { key: subId }), step, interrupts }
  if (error !== undefined) return { ...task, status: 'failed', error }
  return { ...task, status: interrupts.length > 0 ? 'parked' : 'ready' }
}

/** Open questions by task, those of what runs inside it included. */
function waitingIn(thread: StoredThread): Map<string, string[]> {
  const waiting = new Map<string, string[]>()
  for (const row of thread.interrupts) {
    if (row.status !== 'open') continue
    for (const task of lineage(questionOf(row).task)) {
      const ids = waiting.get(task)
      if (ids === undefined) waiting.set(task, [row.id])
      else ids.push(row.id)
    }
  }
  return waiting
}

/** A graph's state: its base, under what was written since. */
function stateOf({ records }: StoredThread, gid: string): Readonly<Record<string, unknown>> {
  const head = records.get(`g ${gid}`)
  if (head === undefined) return {}
  const { base } = parse<{ base: Record<string, number> }>(head, `g ${gid}`)
  const values: Record<string, unknown> = {}
  for (const [key, rev] of Object.entries(base)) {
    const cell = records.get(`c ${gid} ${rev}`)
    if (cell !== undefined) values[key] = parse<{ value: unknown }>(cell, `c ${gid} ${rev}`).value
  }
  const overlay = records.get(`s ${gid}`)
  return overlay === undefined
    ? values
    : { ...values, ...parse<Record<string, unknown>>(overlay, `s ${gid}`) }
}

function answeredOf(thread: StoredThread): AnsweredInterrupt[] {
  return thread.interrupts.flatMap((row) =>
    row.status === 'open' ? [] : [closedOf(row, row.status, thread.head.id)],
  )
}

function closedOf(
  row: InterruptRow,
  status: AnsweredInterrupt['status'],
  threadId: string,
): AnsweredInterrupt {
  const seen = row.body === '' ? undefined : seenOf(row, threadId)
  return {
    id: row.id,
    ordinal: row.ordinal,
    status,
    message: seen?.message ?? '',
    ...(row.expiresAt === undefined ? {} : { expiresAt: row.expiresAt }),
    ...(seen === undefined ? {} : { key: seen.key, address: seen.address }),
    ...givenOf(row, seen?.secret === true),
  }
}

/** The answer itself, who gave it, when and how; a secret one stays hidden. */
function givenOf(row: InterruptRow, secret: boolean): Partial<AnsweredInterrupt> {
  const { answer } = row
  if (answer === undefined) return {}
  const source = sourceOf(row)
  return {
    ...(secret ? {} : { value: parse(answer.value, row.id) }),
    by: answer.by,
    at: answer.at,
    ...(source === undefined ? {} : { source }),
  }
}
