import { formatAddress } from '../core/address.ts'
import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  InterruptTimeoutError,
  UnknownInterruptError,
} from '../core/errors.ts'
import type { InterruptRow, StoredThread } from '../core/store.ts'
import type { QuestionRow } from '../runtime/question.ts'
import { questionOf } from './thread-record.ts'

const ORDINAL = /^#\d+$/u

// Finds the questions of a stored thread by whatever a caller names them with. A question's body is read
// only when it is needed: a thread may have thousands.
export class QuestionIndex {
  readonly #thread: StoredThread
  #byId: ReadonlyMap<string, InterruptRow> | undefined
  #byName: ReadonlyMap<string, readonly InterruptRow[]> | undefined

  constructor(thread: StoredThread) {
    this.#thread = thread
  }

  /** Open questions that take a value. */
  get asked(): InterruptRow[] {
    return this.#open.filter(({ kind }) => kind !== 'breakpoint')
  }

  /** Open stops that take none: a resume goes past them. */
  get breakpoints(): InterruptRow[] {
    return this.#open.filter(({ kind }) => kind === 'breakpoint')
  }

  get #open(): InterruptRow[] {
    return this.#thread.interrupts.filter(({ status }) => status === 'open')
  }

  /** The only open question. @throws AmbiguousAnswerError, AlreadyAnsweredError, UnknownInterruptError */
  only(): InterruptRow {
    const [only, ...others] = this.asked
    if (only === undefined) {
      const last = this.#thread.interrupts.findLast(
        ({ status }) => status === 'consumed' || status === 'answered',
      )
      if (last !== undefined) throw this.#answered(last)
      throw new UnknownInterruptError('', [])
    }
    if (others.length > 0) throw new AmbiguousAnswerError(this.#summaries())
    return only
  }

  /**
   * The open question that an id, `#n`, a key or an address as text names, else the only one that the agent of
   * this name asks. @throws as {@link only} does
   */
  find(name: string): InterruptRow {
    const row = this.#known(name)
    if (row !== undefined && !this.#isOthersKey(name, row)) return this.#expectOpen(row)
    const ordinal = row?.status === 'open' ? [row] : []
    const named = [...ordinal, ...(this.#named(name) ?? this.#askedBy(name))]
    if (named.length > 1) throw new AmbiguousAnswerError(named.map(questionOf))
    const [found] = named
    if (found === undefined) throw this.#notOpen(name)
    return found
  }

  /** A name that only an answered question has is told as such: a command that is sent twice gets the same refusal. */
  #notOpen(name: string): AlreadyAnsweredError | UnknownInterruptError {
    const last = this.#thread.interrupts.findLast(
      (row) =>
        (row.status === 'consumed' || row.status === 'answered') &&
        row.body !== '' &&
        isNamed(questionOf(row), name),
    )
    return last === undefined
      ? new UnknownInterruptError(name, this.#summaries())
      : this.#answered(last)
  }

  /** A second answer is told as such, also when the thread has ended meanwhile. @throws AlreadyAnsweredError */
  expectNotAnswered(name: string): void {
    const row = this.#known(name)
    if (row?.status === 'answered' || row?.status === 'consumed') throw this.#answered(row)
  }

  #known(name: string): InterruptRow | undefined {
    this.#byId ??= new Map(this.#thread.interrupts.map((row) => [row.id, row]))
    return this.#byId.get(name) ?? this.#byOrdinal(name)
  }

  #byOrdinal(name: string): InterruptRow | undefined {
    if (!ORDINAL.test(name)) return undefined
    const ordinal = Number(name.slice(1))
    return this.#thread.interrupts.find((row) => row.ordinal === ordinal)
  }

  /** A key may look like an ordinal: `#12` of a pull request. */
  #isOthersKey(name: string, { id }: InterruptRow): boolean {
    return ORDINAL.test(name) && this.#named(name)?.some((row) => row.id !== id) === true
  }

  #named(name: string): readonly InterruptRow[] | undefined {
    this.#byName ??= this.#names()
    return this.#byName.get(name)
  }

  #names(): Map<string, InterruptRow[]> {
    const names = new Map<string, InterruptRow[]>()
    for (const row of this.asked) {
      for (const name of namesOf(questionOf(row)))
        names.set(name, [...(names.get(name) ?? []), row])
    }
    return names
  }

  #askedBy(agent: string): InterruptRow[] {
    return this.asked.filter((row) => agentOf(questionOf(row)) === agent)
  }

  #expectOpen(row: InterruptRow): InterruptRow {
    if (row.status === 'open') return row
    if (row.status === 'expired') throw new InterruptTimeoutError(row.id, row.expiresAt ?? '')
    if (row.status === 'cancelled') throw new UnknownInterruptError(row.id, this.#summaries())
    throw this.#answered(row)
  }

  #answered({ id, answer }: InterruptRow): AlreadyAnsweredError {
    return new AlreadyAnsweredError(id, { by: answer?.by, at: answer?.at }, this.#summaries())
  }

  #summaries(): QuestionRow[] {
    return this.asked.map(questionOf)
  }
}

function isNamed(row: QuestionRow, name: string): boolean {
  return namesOf(row).has(name) || agentOf(row) === name
}

/** The agent that asks: the innermost one around the question. */
function agentOf({ address }: QuestionRow): string | undefined {
  return address.findLast(({ type }) => type === 'agent')?.id
}

function namesOf({ key, address, path }: QuestionRow): Set<string> {
  const leaf = /\["interrupt","((?:[^"\\]|\\.)*)"\](?:~\d+)?$/u.exec(path)?.[1]
  const texts = [formatAddress(address), formatAddress(address, '/')]
  const leaves =
    leaf === undefined
      ? []
      : texts.flatMap((text) => [`${text}/interrupt:${leaf}`, `${text};interrupt:${leaf}`])
  return new Set([key, ...texts, ...leaves])
}
