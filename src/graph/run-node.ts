import { seal } from '../core/seal.ts'
import type { Outcome, TaskFrame } from '../runtime/engine.ts'
import { Frame } from '../runtime/frame.ts'
import { durationOf } from '../runtime/question.ts'
import { attempts } from '../runtime/retry.ts'
import { isThenable } from '../runtime/thenable.ts'
import type { NodeDefinition, SubgraphBody } from './definition.ts'
import { readable, type Snapshot } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { nodeContext } from './node-context.ts'
import type { Task } from './task.ts'
import { TimeLimit } from './time-limit.ts'

/** What a task's node reads: the state, or what a fan-out sent it. */
export interface TaskInput {
  readonly kind: 'state' | 'sent'
  readonly value: Readonly<Record<string, unknown>>
}

/** Runs a subgraph in the frame of the task it is. */
export type Nested = (frame: TaskFrame, body: SubgraphBody, given: TaskInput) => Promise<unknown>

/** One entry of a task. */
export interface Entry {
  readonly instance: Instance
  readonly task: Task
  readonly node: NodeDefinition
  readonly nested: Nested
}

/**
 * Enters a task from its top: with a new frame, and the memo of its earlier entries. Gives how it ended where
 * its node awaits nothing.
 */
export function startTask(entry: Entry): Outcome | undefined {
  const { instance, task, node } = entry
  const frame = new Frame(instance.run, {
    id: instance.fullId(task),
    address: instance.addressOf(task),
    earlier: task.frame,
  })
  task.frame?.retire()
  task.frame = frame
  task.error = undefined
  task.failed = false
  task.view ??= task.input === undefined ? instance.state.current : undefined
  frame.plain = node.body.kind === 'subgraph'
  const limit = limitOf(frame, node)
  if (limit !== undefined) {
    limit.run()
    frame.timer = limit
  }
  return frame.launch(() => body(entry, frame))
}

function body(entry: Entry, frame: Frame): unknown {
  const { retry } = entry.node.options
  if (retry === undefined) return attempt(entry, frame, 1)
  return attempts(frame, retry, (count) =>
    count === 1 ? attempt(entry, frame, 1) : frame.enter(() => attempt(entry, frame, count)),
  )
}

function attempt(
  { instance, task, node, nested }: Entry,
  frame: TaskFrame,
  count: number,
): unknown {
  const input = inputOf(task, instance.state.current)
  if (node.body.kind === 'subgraph') {
    const kind = task.input === undefined ? 'state' : 'sent'
    return nested(frame, node.body, { kind, value: input as TaskInput['value'] })
  }
  const ctx = nodeContext({ frame, input: instance.input, superstep: task.step, attempt: count })
  const { run, prepare } = node.body
  if (prepare === undefined) return run(input as never, ctx)
  // As it is now: who prepares anew takes in what was changed while the task waited.
  const now = task.input === undefined ? readable(instance.state.current) : input
  return prepared(prepare(now as never, ctx), (made) => run(made as never, ctx))
}

function prepared(made: unknown, then: (made: unknown) => unknown): unknown {
  return isThenable(made) ? Promise.resolve(made).then(then) : then(made)
}

function inputOf(task: Task, current: Snapshot): unknown {
  if (task.input !== undefined) return seal(task.input.value)
  return readable(task.view ?? current)
}

function limitOf(frame: Frame, { options }: NodeDefinition): TimeLimit | undefined {
  if (options.timeout === undefined) return undefined
  const ms = durationOf(options.timeout)
  return ms === undefined ? undefined : new TimeLimit(frame, ms)
}
