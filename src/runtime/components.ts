// Components keeps what component authors' signals ask: one open question for each leaf, one record for
// whatever kept state, and the answers until their task is entered again.
//
// Invariants:
//   1. What one signal tree asks and keeps is saved together.
//   2. A question keeps its id while it is open; raised again, it is the same question.
//   3. An answer, and the state of a component that has gone on, are there for every later entry until they
//      have done their part: the task commits, their place asks anew, or a component around keeps what came
//      of them in its own state.

import { formatAddress } from '../core/address.ts'
import type { Services } from '../core/clock.ts'
import { encode } from '../core/codec.ts'
import type { ComponentMemo, Memo } from './memo.ts'
import { signalPlace } from './place.ts'
import { digestOf, messageFor, rowOf, type Question, type QuestionRow } from './question.ts'
import {
  raisedIn,
  doneBy,
  waitingIn,
  type Ending,
  type Raised,
  type RaisingEntry,
} from './raised.ts'
import type { InterruptSignal } from './signal.ts'

/** The questions of a run, as far as components open and close them. */
export interface QuestionBook {
  readonly services: Services
  readonly journal: {
    put(key: string, text: string): void
    delete(key: string): void
    close(id: string, how: 'consume'): void
  }
  row(id: string): QuestionRow | undefined
  /** True when something in a graph that runs inside a task waits. */
  waitsInGraph(gid: string): boolean
  nextOrdinal(): number
  /** Opens a question, or opens it again as it is now. */
  put(row: QuestionRow): void
  cancel(row: QuestionRow): void
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
    const record = stored?.kind === 'component' ? stored : undefined
    const memo: ComponentMemo = {
      kind: 'component',
      id: row.id,
      address: row.address,
      place: row.path.slice(0, -signalPlace('', row.id).length),
      row,
      state: record?.state,
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
   * An entry ended with signals: opens what they ask and keeps their state. One that ended by them alone
   * also lets go what it no longer asks. True when something is asked.
   */
  raise(entry: RaisingEntry, thrown: readonly InterruptSignal[], ending: Ending): boolean {
    const raised = raisedIn(entry, { thrown, ending }, () => this.#book.services.ids.interrupt())
    if (ending === 'raised') this.#letGo(entry, raised)
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

  /** What this entry was handed and did not raise again: it may be wanted again until it has done its part. */
  #letGo(entry: RaisingEntry, raised: ReadonlyMap<string, Raised>): void {
    const left = [...entry.memo].filter(
      (one): one is [string, ComponentMemo] =>
        isComponent(one[1]) && !raised.has(one[1].id) && this.#wasHandedOut(entry, one[1]),
    )
    if (left.length === 0) return
    const waiting = waitingIn(entry, (graph) => this.#book.waitsInGraph(graph))
    const isDone = doneBy([...raised.values()], waiting)
    for (const [path, memo] of left) {
      if (isWithdrawn(memo)) this.#book.cancel(memo.row)
      else if (!isDone(memo)) continue
      else if (memo.answer !== undefined) this.#book.journal.close(memo.id, 'consume')
      this.#forget(entry, path, memo)
    }
  }

  #wasHandedOut({ resumption }: RaisingEntry, { id }: ComponentMemo): boolean {
    return resumption?.handedOut(id) === true
  }

  #forget(entry: RaisingEntry, path: string, memo: ComponentMemo): void {
    entry.memo.delete(path)
    this.#open.delete(memo.id)
    if (isStored(memo)) this.#book.journal.delete(recordKey(entry, path))
  }

  #keep(entry: RaisingEntry, node: Raised): boolean {
    const { id, address, place, state, info } = node
    const path = signalPlace(place, id)
    const known = this.#knownAt(entry, path)
    // Answered while this entry ran: its next entry takes the answer.
    if (known?.answer !== undefined) return false
    const row = node.leaf ? this.#rowOf(entry, node, path) : undefined
    if (row !== undefined) this.#leavePlace(entry, row, path)
    const memo: ComponentMemo = {
      kind: 'component',
      id,
      address,
      place,
      state,
      ...(row === undefined ? { info } : { row }),
    }
    entry.memo.set(path, memo)
    this.#store(recordKey(entry, path), memo, known)
    if (row === undefined) return false
    this.#open.set(id, memo)
    if (row !== this.#book.row(id)) this.#book.put(row)
    return true
  }

  #knownAt(entry: RaisingEntry, path: string): ComponentMemo | undefined {
    const memo = entry.memo.get(path)
    return memo?.kind === 'component' ? memo : undefined
  }

  /** A question that is raised again from elsewhere is no longer known where it was. */
  #leavePlace(entry: RaisingEntry, { id }: QuestionRow, path: string): void {
    const was = this.#book.row(id)?.path ?? path
    const memo = was === path ? undefined : this.#knownAt(entry, was)
    if (memo !== undefined) this.#forget(entry, was, memo)
  }

  #store(key: string, memo: ComponentMemo, known: ComponentMemo | undefined): void {
    const before = known !== undefined && isStored(known) ? recordOf(known) : undefined
    const now = isStored(memo) ? recordOf(memo) : undefined
    if (before === now) return
    if (now === undefined) this.#book.journal.delete(key)
    else this.#book.journal.put(key, now)
  }

  #rowOf(entry: RaisingEntry, node: Raised, path: string): QuestionRow {
    const { clock, hash } = this.#book.services
    const question = questionOf(node)
    const known = this.#book.row(node.id)
    const digest = digestOf(question, hash)
    if (known?.digest === digest) return known.path === path ? known : { ...known, path }
    return rowOf(
      question,
      {
        id: node.id,
        ordinal: known?.ordinal ?? this.#book.nextOrdinal(),
        task: entry.id,
        path,
        asked: 'component',
        address: node.address,
        key: formatAddress(node.address, '/'),
        digest,
        now: clock(),
      },
      known,
    )
  }
}

function isComponent(memo: Memo): memo is ComponentMemo {
  return memo.kind === 'component'
}

function questionOf({ info }: Raised): Question {
  return {
    kind: 'custom',
    message: messageFor(info),
    payload: info,
    hasDefault: false,
    onChange: 'reopen',
  }
}

/** A question whose component came by and did not ask it any more. */
function isWithdrawn(memo: ComponentMemo): memo is ComponentMemo & { readonly row: QuestionRow } {
  return memo.row !== undefined && memo.answer === undefined
}

/** A composite is known by its record alone; a leaf by its question, and by a record only for its state. */
function isStored({ row, state }: ComponentMemo): boolean {
  return row === undefined || state !== undefined
}

function recordOf({ kind, id, address, place, state, info }: ComponentMemo): string {
  return JSON.stringify(
    encode({
      kind,
      id,
      address,
      place,
      ...(state === undefined ? {} : { state }),
      ...(info === undefined ? {} : { info }),
    }),
  )
}

function recordKey({ id }: RaisingEntry, path: string): string {
  return `m ${id} ${path}`
}
