import { formatAddress, segmentKey } from '../core/address.ts'
import { canonical } from '../core/canonical.ts'
import { HexagonError, NoScopeError, ReplayMismatchError } from '../core/errors.ts'
import { copyOf } from '../core/seal.ts'
import { currentScope, runInScope } from './carrier.ts'
import type { TaskFrame, TaskScope } from './engine.ts'
import { runOnce } from './once.ts'
import { durationOf } from './question.ts'
import { attemptsAt } from './retry.ts'
import { remember, type StepCall, type StepInfo, type StepOptions } from './step-call.ts'
import { withinLimit } from './step-limit.ts'

export type { StepInfo, StepOptions, Verification, VerifyInfo } from './step-call.ts'

/**
 * Runs `body` once per task and name, saves its result before giving it, and gives the saved result when
 * the task is entered again. A step cut off by a crash runs again, with the same `idempotencyKey`; with
 * `once` it runs again only when `verify` or a person says that it did not happen.
 */
export function step<T>(
  name: string,
  body: (info: StepInfo) => T | Promise<T>,
  options: StepOptions<NoInfer<T>> = {},
): Promise<T> {
  const scope = currentScope()
  if (scope === undefined) throw new NoScopeError(`step("${name}")`, 'outside a flow')
  if (scope.unaskable !== undefined) throw new NoScopeError(`step("${name}")`, scope.unaskable)
  return stepIn(scope, { name, body, options })
}

/** {@link step} in a given scope. */
export async function stepIn<T>(
  scope: TaskScope,
  { name, body, options }: Pick<StepCall<T>, 'name' | 'body' | 'options'>,
): Promise<T> {
  const { frame } = scope
  if (scope.unaskable !== undefined) throw new NoScopeError(`step("${name}")`, scope.unaskable)
  frame.guard(true)
  frame.expectAnswered(scope.path)
  const limit = limitOf(scope, name, options)
  const path = placeOf(scope, name, options)
  // What is inside a step that is over is not called again, so it has no position.
  const order = scope.steps === 0 ? frame.calls++ : frame.calls
  const memo = frame.memo.get(path)
  if (memo?.kind === 'step') {
    if (frame.run.listening)
      frame.run.emit(scope.address, { type: 'step:end', name, replayed: true, ms: 0 })
    return copyOf(memo.value) as T
  }
  expectOrder(frame, scope, { name, order })
  const placed = frame.idle ? { order } : {}
  const release = reserve(frame, scope, { name, path, options })
  const started = frame.run.services.clock()
  frame.begin()
  try {
    const idempotencyKey = `${frame.run.threadId}/${frame.id}/${path}`
    const call: StepCall<T> = { name, path, body, options, idempotencyKey, limit, ...placed }
    const value = await (options.once === true ? runOnce(scope, call) : runStep(scope, call))
    const ms = frame.run.services.clock() - started
    if (frame.run.listening)
      frame.run.emit(scope.address, { type: 'step:end', name, replayed: false, ms })
    return value
  } finally {
    release()
    frame.done()
  }
}

type Checked = Omit<StepOptions, 'verify'> & { readonly verify?: unknown }

/** The time limit in milliseconds. @throws HexagonError E2112, E2140 for options that make no sense */
function limitOf(scope: TaskScope, name: string, options: Checked): number | undefined {
  const { once, retry, verify, timeout } = options
  if (once === true && retry !== undefined && verify === undefined)
    throw refusal('E2140', scope, {
      problem: `step "${name}" may not be tried again by itself: it runs once`,
      hint: 'Give a verify that tells whether a failed try happened, or leave retry out.',
    })
  if (once !== true && verify !== undefined)
    throw refusal('E2140', scope, {
      problem: `step "${name}" has a verify but not once`,
      hint: 'Only a step with once: true is in doubt after a crash.',
    })
  if (timeout === undefined) return undefined
  const limit = durationOf(timeout)
  if (limit !== undefined) return limit
  throw refusal('E2112', scope, {
    problem: `timeout ${JSON.stringify(timeout)} of step "${name}" is not a duration`,
    hint: "Use '30s', '15m', '2h' or milliseconds.",
  })
}

function refusal(
  code: string,
  { address }: TaskScope,
  { problem, hint }: { readonly problem: string; readonly hint: string },
): HexagonError {
  return new HexagonError(code, `${formatAddress(address) || 'the flow'}: ${problem}`, { hint })
}

/** What tells steps of one name apart. */
type Naming = Pick<StepOptions, 'args' | 'key'>

function placeOf(scope: TaskScope, name: string, { key, args }: Naming): string {
  const tag =
    key ??
    (args === undefined ? undefined : scope.frame.run.services.hash(canonical(args)).slice(0, 16))
  return scope.place(
    segmentKey(
      tag === undefined ? { type: 'step', id: name } : { type: 'step', id: name, subId: tag },
    ),
  )
}

async function runStep<T>(scope: TaskScope, call: StepCall<T>): Promise<T> {
  const { frame } = scope
  const { name, path, options, body, idempotencyKey, limit, order } = call
  const value = await attemptsAt({ frame, path }, options.retry, (attempt) => {
    const inner = scope.at(path, { type: 'step', id: name })
    return runInScope(inner, () =>
      limit === undefined
        ? body({ idempotencyKey, signal: frame.signal, attempt })
        : withinLimit({ name, ms: limit, scope: inner }, (signal) =>
            body({ idempotencyKey, signal, attempt }),
          ),
    )
  })
  await remember(frame, { path, name, value, ...(order === undefined ? {} : { order }) })
  return value
}

/** Two unfinished calls of one name can't be told apart on the next entry. */
function reserve(
  frame: TaskFrame,
  scope: TaskScope,
  { name, path, options }: { name: string; path: string; options: Naming },
): () => void {
  const anonymous = options.args === undefined && options.key === undefined
  const slot = `${scope.path} ${name}`
  if (!anonymous) return () => undefined
  if (frame.unfinished.has(slot)) {
    throw new HexagonError(
      'E2113',
      `${formatAddress(scope.address) || 'the flow'}: step "${name}" was called again while it runs`,
      {
        hint: `Tell the calls apart: step("${name}", …, { key }) or { args }.`,
        details: { path },
      },
    )
  }
  frame.unfinished.add(slot)
  return () => frame.unfinished.delete(slot)
}

/** Where the task ran one thing after another, another name in the same position is another flow of control. */
function expectOrder(
  frame: TaskFrame,
  scope: TaskScope,
  { name, order }: { name: string; order: number },
): void {
  if (frame.run.options.strictReplay === false || !frame.idle) return
  const memo = frame.recorded.get(order)
  if (memo?.kind !== 'step' && memo?.kind !== 'question') return
  const expected =
    memo.kind === 'step' ? `step "${memo.name}"` : `${memo.row.kind} "${memo.row.message}"`
  throw new ReplayMismatchError(
    expected,
    `step "${name}"`,
    formatAddress(scope.address) || 'the flow',
  )
}

/** The time, remembered: milliseconds since 1970. */
export function now(): Promise<number> {
  return step('now', () => currentScope()?.frame.run.services.clock() ?? 0)
}

/** A random number from 0 to 1, remembered. */
export function random(): Promise<number> {
  return step('random', () => Math.random())
}

/** A random UUID (version 4), remembered. */
export function uuid(): Promise<string> {
  return step('uuid', () => crypto.randomUUID())
}
