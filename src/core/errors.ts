import { formatAddress, type Address } from './address.ts'
import { nearest } from './nearest.ts'

const BRAND: unique symbol = Symbol.for('hexagon.error')

/** What an error may carry besides its message. */
export interface ErrorDetails {
  /** What to do next, in one or two lines. */
  readonly hint?: string | undefined
  readonly cause?: unknown
  /** Plain data for programs: ids, paths, candidates. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Every error hexagon throws on purpose. `code` is stable, `message` may be reworded. */
export class HexagonError extends Error {
  readonly code: string
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly [BRAND] = true

  constructor(code: string, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.hint = options.hint
    this.details = options.details ?? {}
  }

  /** True for errors of another copy of the package too: a flow may have one of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true
    return isHexagonError(value) && (this === HexagonError || value.name === this.name)
  }
}

/** True for any {@link HexagonError}, even one thrown by a second copy of the package. */
export function isHexagonError(error: unknown): error is HexagonError {
  return typeof error === 'object' && error !== null && BRAND in error
}

/** A graph's parts don't fit together; `problems` lists every one that was found. */
export class DefinitionError extends HexagonError {
  readonly problems: readonly string[]
  constructor(flow: string, problems: readonly string[]) {
    super('E1118', `Flow "${flow}": ${problems.join('; ')}`, { details: { flow, problems } })
    this.problems = problems
  }
}

/** A node, step or router threw; `cause` is what it threw. */
export class NodeError extends HexagonError {
  readonly address: Address
  constructor(address: Address, cause: unknown) {
    super('E1401', `${formatAddress(address)} failed: ${messageOf(cause)}`, {
      cause,
      details: { address },
    })
    this.address = address
  }
}

/** The thread ran its limit of supersteps. */
export class StepLimitError extends HexagonError {
  constructor(limit: number, nodes: readonly string[]) {
    super(
      'E1402',
      `Stopped after ${limit.toLocaleString('en')} supersteps, next: ${nodes.join(', ')}`,
      {
        hint: 'Give the loop an exit, or raise recursionLimit (--max-steps).',
        details: { limit, nodes },
      },
    )
  }
}

/** Two tasks of one superstep wrote a key that keeps one value. */
export class UpdateConflictError extends HexagonError {
  constructor(key: string, nodes: readonly string[]) {
    super(
      'E2101',
      `State key "${key}" was written by ${nodes.join(' and ')} in the same superstep`,
      {
        hint: `Give "${key}" a reducer: channel({ initial, reduce }), or let only one of them write it.`,
        details: { key, nodes },
      },
    )
  }
}

/** A name that does not exist: a node, a state key, an interrupt. */
export class UnknownNameError extends HexagonError {
  constructor(what: { kind: string; name: string; where: string; known: readonly string[] }) {
    const near = nearest(what.name, what.known)
    super('E2102', `${what.where}: there is no ${what.kind} "${what.name}"`, {
      hint:
        near === undefined
          ? `Known: ${what.known.join(', ') || 'none'}.`
          : `Did you mean "${near}"?`,
      details: { ...what },
    })
  }
}

/** A value can't be kept; `path` says where it is. Thrown where it enters. */
export class SerializationError extends HexagonError {
  readonly path: string
  constructor(path: string, problem: string, cause?: unknown) {
    super('E1312', `${path}: ${problem}`, {
      hint: 'Keep plain data, or register the class with registerType().',
      cause,
      details: { path },
    })
    this.path = path
  }
}

/** Called where nobody can answer: outside a flow, in a router, in a reducer. */
export class NoScopeError extends HexagonError {
  constructor(what: string, where: string) {
    super('E2103', `${what} was called ${where}`, {
      hint: 'Call it inside a node, a step-free part of a flow function, or a tool.',
    })
  }
}

/** On re-entry the code asked for something else than what was recorded. */
export class ReplayMismatchError extends HexagonError {
  constructor(expected: string, got: string, where: string) {
    super('E2104', `${where}: expected ${expected}, got ${got}`, {
      hint: 'The code before a question must do the same on every entry: put what varies into step().',
      details: { expected, got },
    })
  }
}

/** A task that was abandoned, timed out or unwound called step() or interrupt(). */
export class FencedError extends HexagonError {
  constructor(where: string) {
    super(
      'E2105',
      `${where}: this branch has ended; its late step() and interrupt() calls are refused`,
    )
  }
}

/** No thread has this id. */
export class UnknownThreadError extends HexagonError {
  constructor(id: string, near: readonly string[] = []) {
    super('E1301', `No thread "${id}"`, {
      hint: near.length > 0 ? `Near: ${near.join(', ')}` : undefined,
      details: { threadId: id, near },
    })
  }
}

/** A thread with this id exists. */
export class ThreadExistsError extends HexagonError {
  constructor(id: string, status: string) {
    super('E1314', `Thread "${id}" exists (${status})`, {
      hint: `Continue it with resume (hexagon resume ${id}), or use another id.`,
      details: { threadId: id, status },
    })
  }
}

/** The thread completed or was cancelled; nothing can be answered or run. */
export class ThreadClosedError extends HexagonError {
  constructor(id: string, status: string) {
    super('E1303', `Thread "${id}" is ${status}`, { details: { threadId: id, status } })
  }
}

/** Who holds a thread. */
export interface Holder {
  readonly pid: number
  readonly host: string
  readonly since: string
}

/** Another process runs the thread. */
export class ThreadLockedError extends HexagonError {
  readonly holder: Holder
  constructor(id: string, holder: Holder) {
    super(
      'E1306',
      `Thread "${id}" is being run by pid ${holder.pid} on ${holder.host} since ${holder.since}`,
      {
        hint: `Wait for it to stop; only an answer can be stored meanwhile: hexagon resume … --no-run. If it is gone, because the machine was restarted or the thread came from another: hexagon resume ${id} --steal-lock`,
        details: { threadId: id, ...holder },
      },
    )
    this.holder = holder
  }
}

/** A question as errors list it. */
export interface QuestionSummary {
  readonly id: string
  readonly kind: string
  readonly message: string
}

/** The id is not one of the thread's open questions. */
export class UnknownInterruptError extends HexagonError {
  constructor(id: string, open: readonly QuestionSummary[]) {
    super('E1214', `No open question "${id}"`, {
      hint: listOpen(open),
      details: { interruptId: id, open },
    })
  }
}

/** The question has its answer; a second one is not used. */
export class AlreadyAnsweredError extends HexagonError {
  constructor(
    id: string,
    answered: { by?: string | undefined; at?: string | undefined },
    open: readonly QuestionSummary[] = [],
  ) {
    const who = answered.by === undefined ? '' : ` by ${answered.by}`
    const when = answered.at === undefined ? '' : ` at ${answered.at}`
    super('E1307', `Question "${id}" is already answered${who}${when}; this answer was not used`, {
      hint: listOpen(open),
      details: { interruptId: id, ...answered, open },
    })
  }
}

/** One answer for several open questions. */
export class AmbiguousAnswerError extends HexagonError {
  constructor(open: readonly QuestionSummary[]) {
    super('E1215', `${open.length} questions are open; say which one is answered`, {
      hint: listOpen(open),
      details: { open },
    })
  }
}

/** One thing that is wrong with an answer or an input. */
export interface Problem {
  /** Where in the value, as `items[0].name`; empty for the value itself. */
  readonly path: string
  readonly message: string
}

/** A value that the question (or the flow's input) does not accept. Nothing was consumed. */
export class InvalidAnswerError extends HexagonError {
  readonly problems: readonly Problem[]
  // oxlint-disable-next-line max-params -- every refusal has just these four facts
  constructor(code: string, subject: string, problems: readonly Problem[], hint?: string) {
    const text = problems
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; ')
    super(code, `${subject}: ${text}`, { hint, details: { problems } })
    this.problems = problems
  }
}

/** The question was changed since it was answered or reviewed; `details` holds both texts. */
export class StaleAnswerError extends HexagonError {
  constructor(id: string, details: Readonly<Record<string, unknown>>, what: string) {
    super('E1319', `Question "${id}" has changed: ${what}`, {
      hint: 'Read it again and answer what it asks now. To keep a value between entries, put it into step().',
      details: { interruptId: id, ...details },
    })
  }
}

/** The flow no longer has the place where the thread waits. */
export class FlowChangedError extends HexagonError {
  constructor(message: string, details: Readonly<Record<string, unknown>>, hint?: string) {
    super('E1304', message, { hint, details })
  }
}

/** A question's deadline passed without an answer and without a default. Never a no. */
export class InterruptTimeoutError extends HexagonError {
  constructor(id: string, expiresAt: string) {
    super('E1408', `Question "${id}" expired unanswered at ${expiresAt}`, {
      details: { interruptId: id, expiresAt },
    })
  }
}

/** The run was told to stop; `reason` says why. */
export class CancelledError extends HexagonError {
  constructor(reason: string) {
    super('E2106', `Cancelled: ${reason}`, { details: { reason } })
  }
}

/** The stored version is not the expected one: somebody else went on. */
export class StaleVersionError extends HexagonError {
  constructor(id: string, expected: number, actual: number) {
    super(
      'E1307',
      `Thread "${id}" has moved on: version ${expected} was expected, it is ${actual}`,
      {
        details: { threadId: id, expected, actual },
      },
    )
  }
}

/** A process that lost its lease tried to write. */
export class StaleFenceError extends HexagonError {
  constructor(id: string) {
    super('E1306', `Thread "${id}" is no longer held by this process; nothing was written`, {
      details: { threadId: id },
    })
  }
}

/** A stored file can't be read: not JSON, wrong shape, wrong checksum. Never hides other threads. */
export class DamagedError extends HexagonError {
  constructor(file: string, problem: string) {
    super('E1308', `${file}: ${problem}`, {
      hint: 'hexagon doctor --fix keeps a copy and restores the last good version.',
      details: { file, problem },
    })
  }
}

/** The store was written by a newer hexagon. */
export class NewerFormatError extends HexagonError {
  constructor(file: string, format: unknown) {
    super('E1309', `${file}: written by a newer hexagon (format ${String(format)})`, {
      hint: 'Use that version.',
      details: { file, format },
    })
  }
}

/** What of a sealed text goes wrong: no key, another key, not what was sealed, or a key that is none. */
export type SealFault = 'E1322' | 'E1323' | 'E1324' | 'E1325'

const SEAL_HINTS: Readonly<Record<SealFault, string>> = {
  E1322: 'Give its key: HEXAGON_KEY or HEXAGON_KEY_FILE, or keys of the store.',
  E1323: 'Give the key it was written with too, behind the one that writes.',
  E1324: 'It was changed by hand or by a fault. Put a copy back, or: hexagon doctor',
  E1325: 'A key is 32 bytes in hex or base64. Make one: openssl rand -hex 32',
}

/** Something encrypted can't be read, or its key can't be used. Nothing is changed. */
export class SealedError extends HexagonError {
  constructor(code: SealFault, what: string, problem: string) {
    super(code, `${what} ${problem}`, {
      hint: SEAL_HINTS[code],
      details: { file: what, problem },
    })
  }
}

/** The store can't be written: permissions, read-only, disk full. What was committed stays. */
export class StoreWriteError extends HexagonError {
  constructor(code: 'E1310' | 'E1311' | 'E1317', message: string, cause?: unknown) {
    super(code, message, { cause })
  }
}

/** Something needs a store and there is none. */
export class NoStoreError extends HexagonError {
  constructor(what: string) {
    super('E2107', `${what} needs a store`, {
      hint: 'new Runner({ store }) with memoryStore() or fileStore(folder).',
    })
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function listOpen(open: readonly QuestionSummary[]): string | undefined {
  if (open.length === 0) return undefined
  const shown = open.slice(0, 10).map(({ id, kind, message }) => `${id} (${kind}: ${message})`)
  const more = open.length > 10 ? `, and ${open.length - 10} more` : ''
  return `Open: ${shown.join(', ')}${more}`
}
