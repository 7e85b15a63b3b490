// A step that runs once: what it is about to do is stored before its body is called (an intent), its result
// after (a receipt). Where an intent has no receipt nobody knows whether it happened: it is in doubt, and
// `verify` or a person decides.
//
// Invariants:
//   1. The body is called only with a stored intent of its own.
//   2. Between two calls of the body somebody said that the first did not happen: `verify`, or a person.

import { formatAddress, segmentKey } from '../core/address.ts'
import type { DoubtCause } from '../core/command.ts'
import { HexagonError, messageOf } from '../core/errors.ts'
import type { ErrorRecord } from '../core/event.ts'
import { runInScope } from './carrier.ts'
import { DOUBT_CHOICES, verdictIn, type Verdict } from './doubt-answer.ts'
import type { TaskFrame, TaskScope } from './engine.ts'
import { recordOf } from './error-record.ts'
import { keepIntent } from './intent.ts'
import type { IntentMemo } from './memo.ts'
import type { Question } from './question.ts'
import { isWorthAnother, waitForRetry } from './retry.ts'
import { Scope } from './scope.ts'
import { remember, type StepCall } from './step-call.ts'
import { StepTimeoutError, withinLimit } from './step-limit.ts'

/** A person said that a step in doubt is to fail. */
export class InDoubtError extends HexagonError {
  constructor(name: string, where: string) {
    super('E2141', `${where}: it is not known whether step "${name}" happened; it was given up`, {
      hint: 'A retry asks again whether it happened: hexagon resume … --retry.',
      details: { name },
    })
  }
}

/** Runs a step that runs once; in doubt it first finds out whether it happened. */
export async function runOnce<T>(scope: TaskScope, call: StepCall<T>): Promise<T> {
  return new Once(scope, call).run()
}

/** What one look at a doubt came to; `error` is what the code is told when nothing more is tried. */
type Next = { readonly result: unknown } | 'again' | { readonly error: unknown }

class Once<T> {
  readonly #scope: TaskScope
  readonly #frame: TaskFrame
  readonly #call: StepCall<T>
  #intent: IntentMemo | undefined

  constructor(scope: TaskScope, call: StepCall<T>) {
    this.#scope = scope
    this.#frame = scope.frame
    this.#call = call
    const known = this.#frame.memo.get(call.path)
    this.#intent = known?.kind === 'intent' ? known : this.#lost()
  }

  async run(): Promise<T> {
    if (this.#intent?.failed !== undefined) throw errorOf(this.#intent.failed)
    if (this.#intent !== undefined) {
      const next = await this.#settle()
      if (next !== 'again') return this.#end(next)
    }
    for (let attempt = 1; ; attempt++) {
      const next = await this.#try(attempt)
      if (next !== 'again') return this.#end(next)
    }
  }

  /** What ran after the version that the thread was put back to may have been this step. */
  #lost(): IntentMemo | undefined {
    const { inDoubt } = this.#frame.run.options
    return inDoubt === undefined ? undefined : this.#intentOf('restored', inDoubt.at)
  }

  async #end(next: Exclude<Next, 'again'>): Promise<T> {
    if ('result' in next) return next.result as T
    this.#frame.guard()
    const { error } = next
    await this.#put({ ...this.#known, failed: recordOf(error) }, 'failure of')
    throw error
  }

  async #try(attempt: number): Promise<Next> {
    const { name, path, options, order } = this.#call
    await this.#begin()
    try {
      const value = await this.#body(attempt)
      await remember(this.#frame, { path, name, value, order, once: true })
      return { result: value }
    } catch (error) {
      // Given up where it stands: what is stored says just that.
      if (this.#frame.status !== 'live' || this.#frame.memo.get(path)?.kind !== 'intent')
        throw error
      return this.#afterFailure(error, isWorthAnother(options.retry, error, attempt) && attempt)
    }
  }

  async #afterFailure(error: unknown, attempt: number | false): Promise<Next> {
    const isTimeout = error instanceof StepTimeoutError
    const why = isTimeout ? 'timeout' : 'failed'
    this.#intent = { ...this.#known, why, note: messageOf(error) }
    keepIntent(this.#frame, this.#call.path, this.#intent)
    if (attempt === false && !isTimeout) return { error }
    if (attempt !== false)
      await waitForRetry(this.#frame, { options: this.#call.options.retry ?? {}, error, attempt })
    const { path } = this.#call
    const next = await this.#settle()
    const isAsked = this.#frame.memo.get(this.#questionAt(path)) !== undefined
    // Nobody asked for another try of what is known not to have happened.
    return next === 'again' && attempt === false && !isAsked ? { error } : next
  }

  get #known(): IntentMemo {
    return this.#intent ?? this.#intentOf('unsaved')
  }

  #intentOf(why: DoubtCause, at?: string): IntentMemo {
    const { name, options, idempotencyKey } = this.#call
    const { args } = options
    return {
      kind: 'intent',
      name,
      address: this.#scope.address,
      at: at ?? this.#now(),
      round: 0,
      why,
      idempotencyKey,
      ...(args === undefined ? {} : { args }),
    }
  }

  #now(): string {
    return new Date(this.#frame.run.services.clock()).toISOString()
  }

  async #begin(): Promise<void> {
    this.#frame.guard(true)
    const { note: _note, ...before } = this.#known
    const { idempotencyKey } = this.#call
    const known = { ...before, round: before.round + 1, at: this.#now() }
    await this.#put({ ...known, why: 'unsaved', idempotencyKey }, 'intent of')
    this.#frame.guard(true)
  }

  /** Stored, whatever the durability: what follows depends on it. */
  async #put(intent: IntentMemo, what: string): Promise<void> {
    this.#intent = intent
    keepIntent(this.#frame, this.#call.path, intent)
    await this.#frame.run.journal.save(`${what} step "${this.#call.name}"`)
  }

  async #body(attempt: number): Promise<T> {
    const { name, path, body, idempotencyKey, limit } = this.#call
    const { frame, address, steps } = this.#scope
    const inner = new Scope(frame, [...address, { type: 'step', id: name }], {
      path,
      unaskable: 'in a step that runs once',
      steps: steps + 1,
    })
    const call = (signal: AbortSignal): T | Promise<T> => body({ idempotencyKey, signal, attempt })
    return runInScope(inner, () =>
      limit === undefined
        ? call(frame.signal)
        : withinLimit({ name, ms: limit, scope: inner }, call),
    )
  }

  /** Finds out whether it happened: by `verify`, or by asking. */
  async #settle(): Promise<Next> {
    const verdict = (await this.#verified()) ?? (await this.#asked())
    this.#frame.guard(true)
    if (verdict.kind === 'run') return 'again'
    const { name, path, order } = this.#call
    if (verdict.kind === 'fail')
      return { error: new InDoubtError(name, formatAddress(this.#scope.address) || 'the flow') }
    await remember(this.#frame, { path, name, value: verdict.result, order, once: true })
    return { result: verdict.result }
  }

  /** Undefined when there is no `verify`, it can't tell, or a person has been asked already. */
  async #verified(): Promise<Verdict | undefined> {
    const { name, path, options } = this.#call
    const { verify } = options
    const { frame, address, steps } = this.#scope
    if (verify === undefined || frame.memo.has(this.#questionAt(path))) return undefined
    const inner = new Scope(frame, [...address, { type: 'step', id: name }], {
      path,
      unaskable: 'in the verify of a step',
      steps: steps + 1,
    })
    const { at, idempotencyKey } = this.#known
    const info = { idempotencyKey, signal: frame.signal, at }
    try {
      return verdictOf(await runInScope(inner, () => verify(info)))
    } catch (error) {
      frame.guard(true)
      const message = `The verify of step "${name}" failed: ${messageOf(error)}`
      frame.run.emit(inner.address, { type: 'warning', code: 'E2143', message })
      return undefined
    }
  }

  async #asked(): Promise<Verdict> {
    const { name, path } = this.#call
    const intent = this.#known
    // The question and what it is about are stored together.
    keepIntent(this.#frame, path, intent)
    const scope = this.#scope.at(doubtPlace(path, intent), { type: 'step', id: name })
    const answer = await this.#frame.run.questions.ask(scope, this.#question())
    return verdictIn(answer) ?? { kind: 'fail' }
  }

  #question(): Question {
    const { name, options } = this.#call
    const { at, why, note, args, idempotencyKey } = this.#known
    return {
      kind: 'doubt',
      message: `Did the step "${name}" happen?`,
      payload: {
        step: name,
        ...(args === undefined ? {} : { args }),
        ...(why === 'restored' ? {} : { began: at }),
        why: reasonOf(why, note),
        ...(options.verify === undefined ? {} : { verify: 'It could not tell.' }),
        idempotencyKey,
      },
      choices: DOUBT_CHOICES,
      hasDefault: false,
      danger: true,
      // What it is about lies behind: it can't become another question.
      onChange: 'accept',
    }
  }

  /** Where the question about the doubt of now is remembered. */
  #questionAt(path: string): string {
    return doubtPlace(path, this.#known) + segmentKey({ type: 'interrupt', id: '0' })
  }
}

function doubtPlace(path: string, { round }: IntentMemo): string {
  return path + segmentKey({ type: 'doubt', id: String(round) })
}

function reasonOf(why: DoubtCause, note: string | undefined): string {
  switch (why) {
    case 'unsaved':
      return 'It began, and no result of it was saved.'
    case 'timeout':
      return 'It did not end in time, and may still go on.'
    case 'failed':
      return `It failed (${note ?? 'no message'}); what it did before that is not known.`
    case 'restored':
      return 'The thread was put back to an earlier version; it may have run after that.'
  }
}

function verdictOf(told: unknown): Verdict | undefined {
  if (told === undefined) return undefined
  const verdict = verdictIn(typeof told === 'boolean' ? { happened: told } : told)
  if (verdict !== undefined && verdict.kind !== 'fail') return verdict
  throw new HexagonError('E2143', 'it gave neither true, false, undefined nor { happened, result }')
}

function errorOf({ name, message, code, hint, stack }: ErrorRecord): Error {
  const error = code === undefined ? new Error(message) : new HexagonError(code, message, { hint })
  Object.defineProperty(error, 'name', { value: name, configurable: true })
  if (stack !== undefined) error.stack = stack
  return error
}
