import { encode } from '../../core/codec.ts'
import type { AnsweredInterrupt, TaskView, ThreadMeta, ThreadView } from '../../core/command.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { PendingView, ThreadSummary } from '../../runner/thread-list.ts'
import { recordJson } from './error-json.ts'
import { interruptJson } from './interrupt-json.ts'

/** The flow of a thread as JSON names it: the file it came from, else its name. */
function flowOf({ flow, meta }: { readonly flow: string; readonly meta: ThreadMeta }): string {
  return meta.flowFile ?? flow
}

/** A thread that waits, with its open questions. */
export function pendingJson(thread: PendingView): JsonObject {
  return {
    id: thread.threadId,
    flow: flowOf(thread),
    name: thread.flow,
    status: thread.status,
    version: thread.version,
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
    interrupts: thread.interrupts.map(interruptJson),
    answered: thread.answered,
    holder: encode(thread.holder ?? null),
    stopped: encode(thread.meta.stopped ?? null),
  }
}

/** A thread as the list of all threads has it. */
export function summaryJson(thread: ThreadSummary): JsonObject {
  const { meta } = thread
  return {
    id: thread.threadId,
    flow: flowOf(thread),
    name: thread.flow,
    status: thread.status,
    version: thread.version,
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
    holder: encode(thread.holder ?? null),
    stopped: encode(meta.stopped ?? null),
    error: meta.error === undefined ? null : recordJson(meta.error),
    parent: encode(meta.parent ?? null),
    // What a process that is gone had begun is found out when the thread goes on.
    inDoubt: thread.status === 'crashed' ? null : (meta.doubts ?? 0),
    restored: encode(meta.inDoubt ?? null),
  }
}

/** The head of a thread in the documents of `run` and `resume`. */
export function headJson(view: ThreadView): JsonObject {
  return {
    id: view.threadId,
    flow: flowOf(view),
    name: view.flow,
    status: view.status,
    version: view.version,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
    steps: view.steps,
  }
}

/** Everything about a thread. The state is whole only when it was asked for. */
export function viewJson(view: ThreadView, { state }: { readonly state: boolean }): JsonObject {
  return {
    ...headJson(view),
    ...originJson(view.meta),
    input: encode(view.input ?? null),
    ...(state ? { state: encode(view.state) } : {}),
    output: encode(view.output ?? null),
    next: [...view.next],
    tasks: view.tasks.map(taskJson),
    interrupts: view.interrupts.map(interruptJson),
    answered: view.answered.map(answeredJson),
    error: view.error === undefined ? null : recordJson(view.error),
    holder: encode(view.holder ?? null),
    stopped: encode(view.meta.stopped ?? null),
    inDoubt: encode(view.inDoubt ?? []),
    restored: encode(view.meta.inDoubt ?? null),
  }
}

/** Where a thread comes from. */
function originJson({ cwd, by, parent }: ThreadMeta): JsonObject {
  return { cwd: cwd ?? null, by: by ?? null, parent: encode(parent ?? null) }
}

function taskJson({ id, node, key, status, step, interrupts, error }: TaskView): JsonObject {
  return {
    id,
    node,
    key: key ?? null,
    status,
    step,
    interrupts: [...interrupts],
    error: error === undefined ? null : recordJson(error),
  }
}

function answeredJson(answered: AnsweredInterrupt): JsonObject {
  return {
    id: answered.id,
    ordinal: answered.ordinal,
    status: answered.status,
    message: answered.message,
    value: valueOf(answered),
    by: answered.by ?? null,
    at: answered.at ?? null,
    source: encode(answered.source ?? null),
  }
}

function valueOf({ value }: AnsweredInterrupt): JsonValue {
  return value === undefined ? null : encode(value)
}
