import { formatAddress, segmentKey } from '../core/address.ts'
import { canonical } from '../core/canonical.ts'
import { encode } from '../core/codec.ts'
import { HexagonError, NoScopeError, ReplayMismatchError } from '../core/errors.ts'
import { copyOf, seal } from '../core/seal.ts'
import { currentScope, runInScope } from './carrier.ts'
import type { TaskFrame, TaskScope } from './engine.ts'
import { attempts, type RetryOptions } from './retry.ts'

/** What a step's function is told. */
export interface StepInfo {
  /** The same on every try of this step, in every process. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /** From 1. */
  readonly attempt: number
}

export interface StepOptions {
  /** Remembered with the result: other arguments are another step. */
  readonly args?: unknown
  /** Tells apart steps of one name that run side by side. */
  readonly key?: string
  readonly retry?: RetryOptions
}

/**
 * Runs `body` once per task and name, saves its result before giving it, and gives the saved result when
 * the task is entered again. A step cut off by a crash runs again, with the same `idempotencyKey`.
 */
export function step<T>(
  name: string,
  body: (info: StepInfo) => T | Promise<T>,
  options: StepOptions = {},
): Promise<T> {
  const scope = currentScope()
  if (scope === undefined) throw new NoScopeError(`step("${name}")`, 'outside a flow')
  if (scope.unaskable !== undefined) throw new NoScopeError(`step("${name}")`, scope.unaskable)
  return stepIn(scope, { name, body, options })
}

/** {@link step} in a given scope. */
export async function stepIn<T>(
  scope: TaskScope,
  {
    name,
    body,
    options,
  }: { name: string; body: (info: StepInfo) => T | Promise<T>; options: StepOptions },
): Promise<T> {
  const { frame } = scope
  if (scope.unaskable !== undefined) throw new NoScopeError(`step("${name}")`, scope.unaskable)
  frame.guard(true)
  const path = placeOf(scope, name, options)
  const order = frame.calls++
  const memo = frame.memo.get(path)
  if (memo?.kind === 'step') {
    if (frame.run.listening)
      frame.run.emit(scope.address, { type: 'step:end', name, replayed: true, ms: 0 })
    return copyOf(memo.value) as T
  }
  expectOrder(frame, scope, { name, order })
  const sequential = frame.idle
  const release = reserve(frame, scope, { name, path, options })
  const started = frame.run.services.clock()
  frame.begin()
  try {
    const value = await runStep(scope, { name, path, body, options })
    await remember(frame, path, { name, value, ...(sequential ? { order } : {}) })
    const ms = frame.run.services.clock() - started
    if (frame.run.listening)
      frame.run.emit(scope.address, { type: 'step:end', name, replayed: false, ms })
    return value
  } finally {
    release()
    frame.done()
  }
}

function placeOf(scope: TaskScope, name: string, { key, args }: StepOptions): string {
  const tag =
    key ??
    (args === undefined ? undefined : scope.frame.run.services.hash(canonical(args)).slice(0, 16))
  return scope.place(
    segmentKey(
      tag === undefined ? { type: 'step', id: name } : { type: 'step', id: name, subId: tag },
    ),
  )
}

async function runStep<T>(
  scope: TaskScope,
  {
    name,
    path,
    body,
    options,
  }: { name: string; path: string; body: (info: StepInfo) => T | Promise<T>; options: StepOptions },
): Promise<T> {
  const { frame } = scope
  const idempotencyKey = `${frame.run.threadId}/${frame.id}/${path}`
  return attempts(frame, options.retry, (attempt) => {
    const inner = scope.at(path, { type: 'step', id: name })
    return runInScope(inner, () => body({ idempotencyKey, signal: frame.signal, attempt }))
  })
}

/** Keeps a result at its place: saved before anything goes on with it. */
export async function remember(
  frame: TaskFrame,
  path: string,
  result: { name: string; value: unknown; order?: number },
): Promise<void> {
  frame.guard()
  const value = seal(result.value, `step "${result.name}"`)
  frame.memo.set(path, { kind: 'step', ...result, value })
  const { journal } = frame.run
  if (!journal.durable) return
  const stored = {
    kind: 'step',
    name: result.name,
    value: encode(value),
    ...(result.order === undefined ? {} : { order: result.order }),
  }
  journal.put(`m ${frame.id} ${path}`, JSON.stringify(stored))
  await journal.flush(`step "${result.name}"`)
}

/** Two unfinished calls of one name can't be told apart on the next entry. */
function reserve(
  frame: TaskFrame,
  scope: TaskScope,
  { name, path, options }: { name: string; path: string; options: StepOptions },
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
