import type { AnsweredInterrupt, TaskView, ThreadView } from '../core/command.ts'
import type { ErrorRecord } from '../core/event.ts'
import type { Interrupt } from '../core/interrupt.ts'
import type { Lease, StoredThread, ThreadHead } from '../core/store.ts'
import { lineage } from '../runtime/restored.ts'
import { sourceOf } from './resolve-answers.ts'
import { metaOf, parse, runRecordOf, seenOf, questionOf } from './thread-record.ts'

/** The status as everybody sees it. */
export function statusOf(head: ThreadHead): ThreadView['status'] {
  if (head.status === 'running' && head.lease?.alive !== true) return 'crashed'
  return head.status === 'ready' ? 'suspended' : head.status
}

/** Who runs it, while somebody does. */
export function holderOf(
  lease: Lease | undefined,
): { readonly pid: number; readonly host: string; readonly since: string } | undefined {
  return lease?.alive === true ? lease.holder : undefined
}

interface TaskRecord {
  readonly id: string
  readonly node: string
  readonly step: number
  readonly error?: ErrorRecord
}

/** Everything about a stored thread, without its flow. */
export function viewOf(thread: StoredThread): ThreadView {
  const { head } = thread
  const { input, output } = runRecordOf(thread)
  const meta = metaOf(head)
  const interrupts = thread.interrupts
    .filter(({ status }) => status === 'open')
    .map((row) => seenOf(row, head.id))
  const tasks = tasksOf(thread)
  const holder = holderOf(head.lease)
  return {
    threadId: head.id,
    flow: head.flow,
    status: statusOf(head),
    version: head.version,
    steps: meta.steps ?? Math.max(0, ...tasks.map(({ step }) => step)),
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    input,
    state: stateOf(thread),
    ...(head.status === 'completed' ? { output } : {}),
    next: [...new Set(tasks.map(({ node }) => node))],
    tasks,
    interrupts,
    answered: answeredOf(thread),
    ...(meta.error === undefined ? {} : { error: meta.error }),
    meta,
    ...(holder === undefined ? {} : { holder }),
  }
}

function tasksOf(thread: StoredThread): TaskView[] {
  const waiting = thread.interrupts.filter(({ status }) => status === 'open').map(questionOf)
  const tasks: TaskView[] = []
  for (const [key, text] of thread.records) {
    if (!key.startsWith('t ') || key.includes('/')) continue
    const record = parse<TaskRecord>(text, key)
    const ids = waiting
      .filter(({ task }) => lineage(task).includes(key.slice(2)))
      .map(({ id }) => id)
    tasks.push({
      id: record.id,
      node: record.node,
      step: record.step,
      status: record.error === undefined ? (ids.length > 0 ? 'parked' : 'ready') : 'failed',
      interrupts: ids,
      ...(record.error === undefined ? {} : { error: record.error }),
    })
  }
  return tasks
}

/** The root graph's state: its base, under what was written since. */
function stateOf({ records }: StoredThread): Readonly<Record<string, unknown>> {
  const head = records.get('g /')
  if (head === undefined) return {}
  const { base } = parse<{ base: Record<string, number> }>(head, 'g /')
  const values: Record<string, unknown> = {}
  for (const [key, rev] of Object.entries(base)) {
    const cell = records.get(`c / ${rev}`)
    if (cell !== undefined) values[key] = parse<{ value: unknown }>(cell, `c / ${rev}`).value
  }
  const overlay = records.get('s /')
  return overlay === undefined
    ? values
    : { ...values, ...parse<Record<string, unknown>>(overlay, 's /') }
}

function answeredOf(thread: StoredThread): AnsweredInterrupt[] {
  return thread.interrupts.flatMap((row): AnsweredInterrupt[] => {
    if (row.status === 'open') return []
    const seen: Partial<Interrupt> = row.body === '' ? {} : seenOf(row, thread.head.id)
    const source = sourceOf(row)
    return [
      {
        id: row.id,
        ordinal: row.ordinal,
        status: row.status,
        message: seen.message ?? '',
        ...(row.answer === undefined || seen.secret === true
          ? {}
          : { value: parse(row.answer.value, row.id) }),
        ...(row.answer === undefined ? {} : { by: row.answer.by, at: row.answer.at }),
        ...(source === undefined ? {} : { source }),
      },
    ]
  })
}
