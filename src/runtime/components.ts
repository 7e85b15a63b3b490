// Components keeps what component authors' signals ask: one open question for each leaf, one record for
// whatever kept state, and the answers until their task is entered again.
//
// Invariants:
//   1. What one signal tree asks and keeps is saved together.
//   2. A question keeps its id while it is open; raised again, it is the same question.
//   3. An answer is used up when its task commits, when its own place asks anew, or when a component at or
//      around its place keeps state of its own: that state holds what came of it.

import { isDescendantOf, type Address } from '../core/address.ts'
import { formatAddress } from '../core/address.ts'
import type { Services } from '../core/clock.ts'
import { encode } from '../core/codec.ts'
import type { ComponentMemo, Memo } from './memo.ts'
import { placeOf, placesAround, signalPlace } from './place.ts'
import { digestOf, messageFor, rowOf, type Question, type QuestionRow } from './question.ts'
import type { ResumeInfo } from './resume-info.ts'
import { nodesOf } from './signal-tree.ts'
import type { InterruptSignal } from './signal.ts'

/** One entry of a task, as far as signals go. */
export interface RaisingEntry {
  readonly id: string
  readonly address: Address
  readonly memo: Map<string, Memo>
  readonly resumption: ResumeInfo | undefined
  /** Signals that left a component's scope, whatever became of them. */
  readonly escaped: ReadonlySet<InterruptSignal> | undefined
}

/** The questions of a run, as far as components open and close them. */
export interface QuestionBook {
  readonly services: Services
  readonly journal: {
    put(key: string, text: string): void
    delete(key: string): void
    close(id: string, how: 'consume'): void
  }
  row(id: string): QuestionRow | undefined
  nextOrdinal(): number
  /** Opens a question, or opens it again as it is now. */
  put(row: QuestionRow): void
  cancel(row: QuestionRow): void
}

interface Raised {
  readonly signal: InterruptSignal
  readonly place: string
}

export class Components {
  readonly #book: QuestionBook
  readonly #open = new Map<string, ComponentMemo>()

  constructor(book: QuestionBook) {
    this.#book = book
  }

  /** A question of an earlier process, with its state if it kept some. */
  restore(
    row: QuestionRow,
    answer: { readonly value: unknown } | undefined,
    stored: Memo | undefined,
  ): ComponentMemo {
    const memo: ComponentMemo = {
      kind: 'component',
      id: row.id,
      address: row.address,
      place: row.path.slice(0, -signalPlace('', row.id).length),
      row,
      state: stored?.kind === 'component' ? stored.state : undefined,
      ...(answer === undefined ? {} : { answer: { value: answer.value } }),
    }
    if (answer === undefined) this.#open.set(row.id, memo)
    return memo
  }

  /** The answer waits for the next entry of its task. */
  take(id: string, value: unknown): void {
    const memo = this.#open.get(id)
    if (memo === undefined) return
    this.#open.delete(id)
    memo.answer = { value }
  }

  closed(id: string): void {
    this.#open.delete(id)
  }

  /**
   * An entry ended by signals: opens what they ask, keeps their state, and lets go what they no longer ask.
   * A `partial` one (it failed, or swallowed them) lets nothing go. True when something is asked.
   */
  raise(entry: RaisingEntry, thrown: readonly InterruptSignal[], partial: boolean): boolean {
    const raised = this.#raisedIn(entry, thrown)
    if (!partial) this.#letGo(entry, raised)
    let asks = false
    for (const node of raised.values()) asks = this.#keep(entry, node) || asks
    return asks
  }

  /** The component could not use its answer: the question is open again. */
  reopen(entry: RaisingEntry, id: string): void {
    for (const memo of entry.memo.values()) {
      if (memo.kind !== 'component' || memo.id !== id || memo.row === undefined) continue
      delete memo.answer
      this.#open.set(id, memo)
      this.#book.put(memo.row)
    }
  }

  /** Every node by id. What left a scope counts too, unless a component around it spoke for it. */
  #raisedIn(entry: RaisingEntry, thrown: readonly InterruptSignal[]): Map<string, Raised> {
    const raised = new Map<string, Raised>()
    const spoken = new Set<string>()
    const add = (top: InterruptSignal): void => {
      for (const signal of nodesOf(top)) {
        if (!this.#isComponents(entry, signal)) continue
        const place = placeIn(entry, signal)
        raised.set(signal.id, { signal, place })
        spoken.add(place)
      }
    }
    for (const signal of thrown) add(signal)
    const escaped = [...(entry.escaped ?? [])]
      .map((signal) => ({ signal, place: placeIn(entry, signal) }))
      .toSorted((a, b) => a.place.length - b.place.length)
    for (const { signal, place } of escaped) {
      const known = raised.has(signal.id) || spoken.has(place)
      if (!known && !placesAround(place).some((around) => spoken.has(around))) add(signal)
    }
    return raised
  }

  // The engine's own signals have no origin: a call that was unwound is a question already.
  #isComponents(entry: RaisingEntry, { id, origin }: InterruptSignal): boolean {
    if (origin !== undefined) return true
    if (id === '' || this.#book.row(id)?.asked === 'call') return false
    for (const memo of entry.memo.values())
      if (memo.kind === 'question' && memo.row.id === id) return false
    return true
  }

  /** What this entry was handed and did not raise again is over; answers stay until they are used up. */
  #letGo(entry: RaisingEntry, raised: ReadonlyMap<string, Raised>): void {
    const isUsedUp = usedUpBy([...raised.values()])
    for (const [path, memo] of entry.memo) {
      if (memo.kind !== 'component' || raised.has(memo.id)) continue
      if (entry.resumption?.handedOut(memo.id) !== true) continue
      const answered = memo.answer !== undefined
      if (answered && !isUsedUp(memo.place)) continue
      if (answered) this.#book.journal.close(memo.id, 'consume')
      else if (memo.row !== undefined) this.#book.cancel(memo.row)
      this.#forget(entry, path, memo)
    }
  }

  #forget(entry: RaisingEntry, path: string, memo: ComponentMemo): void {
    entry.memo.delete(path)
    this.#open.delete(memo.id)
    if (isStored(memo)) this.#book.journal.delete(recordKey(entry, path))
  }

  #keep(entry: RaisingEntry, { signal, place }: Raised): boolean {
    const path = signalPlace(place, signal.id)
    const old = entry.memo.get(path)
    const known = old?.kind === 'component' ? old : undefined
    // Answered while this entry ran: its next entry takes the answer.
    if (known?.answer !== undefined) return false
    const { id, address, state } = signal
    const row = signal.isRootCause ? this.#rowOf(entry, signal, path) : undefined
    if (row !== undefined) this.#leavePlace(entry, row, path)
    const memo: ComponentMemo = { kind: 'component', id, address, place, state, ...rowPart(row) }
    entry.memo.set(path, memo)
    this.#store(entry, path, { memo, known })
    if (row === undefined) return false
    this.#open.set(id, memo)
    if (row !== this.#book.row(id)) this.#book.put(row)
    return true
  }

  /** A question that is raised again from elsewhere is no longer known where it was. */
  #leavePlace(entry: RaisingEntry, { id }: QuestionRow, path: string): void {
    const was = this.#book.row(id)?.path
    if (was === undefined || was === path) return
    const memo = entry.memo.get(was)
    if (memo?.kind === 'component') this.#forget(entry, was, memo)
  }

  #store(
    entry: RaisingEntry,
    path: string,
    { memo, known }: { memo: ComponentMemo; known: ComponentMemo | undefined },
  ): void {
    const before = known !== undefined && isStored(known) ? recordOf(known) : undefined
    const now = isStored(memo) ? recordOf(memo) : undefined
    if (before === now) return
    if (now === undefined) this.#book.journal.delete(recordKey(entry, path))
    else this.#book.journal.put(recordKey(entry, path), now)
  }

  #rowOf(entry: RaisingEntry, signal: InterruptSignal, path: string): QuestionRow {
    const { clock, hash } = this.#book.services
    const question = questionOf(signal)
    const known = this.#book.row(signal.id)
    const digest = digestOf(question, hash)
    if (known?.digest === digest) return known.path === path ? known : { ...known, path }
    return rowOf(
      question,
      {
        id: signal.id,
        ordinal: known?.ordinal ?? this.#book.nextOrdinal(),
        task: entry.id,
        path,
        asked: 'component',
        address: signal.address,
        key: formatAddress(signal.address, '/'),
        digest,
        now: clock(),
      },
      known,
    )
  }
}

function questionOf({ info }: InterruptSignal): Question {
  return {
    kind: 'custom',
    message: messageFor(info),
    payload: info,
    hasDefault: false,
    onChange: 'reopen',
  }
}

/** Where in the task a signal was made; one from elsewhere counts by its address. */
function placeIn(
  { id, address }: RaisingEntry,
  { origin, address: made }: InterruptSignal,
): string {
  if (origin?.task === id) return origin.place
  return placeOf(isDescendantOf(made, address) ? made.slice(address.length) : made)
}

/** Whether the answer at a place has done its part: it asks anew, or somebody there or around it keeps state. */
function usedUpBy(raised: readonly Raised[]): (place: string) => boolean {
  const asking = raised.filter(({ signal }) => signal.isRootCause).map(({ place }) => place)
  const keeping = raised
    .filter(({ signal }) => signal.state !== undefined)
    .map(({ place }) => place)
  const here = new Set([...asking, ...keeping])
  const around = new Set(keeping)
  return (place) => here.has(place) || placesAround(place).some((outer) => around.has(outer))
}

function rowPart(row: QuestionRow | undefined): { readonly row?: QuestionRow } {
  return row === undefined ? {} : { row }
}

/** A composite is known by its record alone; a leaf by its question, and by a record only for its state. */
function isStored({ row, state }: ComponentMemo): boolean {
  return row === undefined || state !== undefined
}

function recordOf({ kind, id, address, place, state }: ComponentMemo): string {
  return JSON.stringify(
    encode({ kind, id, address, place, ...(state === undefined ? {} : { state }) }),
  )
}

function recordKey({ id }: RaisingEntry, path: string): string {
  return `m ${id} ${path}`
}
