// OpenQuestions is the book of what a run asks: the rows that are open, the calls that wait for them, and
// which tasks wait.
//
// Invariants:
//   1. A row is announced only when it is saved.
//   2. A question keeps its id as long as it is open, whatever else is answered or restarted.

import { formatAddress, type Address } from '../core/address.ts'
import { encode } from '../core/codec.ts'
import { Components, type QuestionBook } from './components.ts'
import { DeadlineTimer } from './deadline-timer.ts'
import type { Engine, Leaf, TaskFrame } from './engine.ts'
import type { Memo } from './memo.ts'
import { digestOf, interruptOf, rowOf, type Question, type QuestionRow } from './question.ts'
import { lineage, ownerOf, type StoredQuestion } from './restored.ts'

/** Where a task remembers how many answers it has seen. */
const SEEN = '["seen"]'

export class OpenQuestions {
  /** Calls that wait, by interrupt id. */
  readonly leaves = new Map<string, Leaf>()
  readonly components: Components
  readonly #run: Engine
  readonly #open = new Map<string, QuestionRow>()
  readonly #saved = new Set<string>()
  /** How many open questions each task has, in itself and inside it. */
  readonly #waiting = new Map<string, number>()
  #saving = 0
  /** What is being saved just now. */
  #unsaved: { readonly saved: Promise<void>; readonly rows: QuestionRow[] } | undefined
  /** How many of those no component's signal asks. */
  readonly #calling = new Map<string, number>()
  readonly #deadlines: DeadlineTimer
  #asked: number

  constructor(run: Engine, asked: number, onDue: (id: string) => void) {
    this.#run = run
    this.#asked = asked
    this.#deadlines = new DeadlineTimer(run.services.clock, (ids) => {
      for (const id of ids) onDue(id)
    })
    this.components = new Components(this.#book())
  }

  /** Takes over what an earlier process left; gives the tasks that have something to take. */
  restore(): string[] {
    const { questions, memos } = this.#run.restored
    return [...questions].flatMap(([task, stored]) => {
      const answers = stored.filter((one) => this.#takeOver(one)).length
      const seen = memos.get(task)?.get(SEEN)
      const isNew = seen?.kind !== 'seen' || seen.answers !== answers
      return answers > 0 && isNew ? [task] : []
    })
  }

  /** True when something came of the question. */
  #takeOver({ row, answer, expired }: StoredQuestion): boolean {
    if (row.asked === 'component') this.#restoreOne(row, answer)
    this.#saved.add(row.id)
    if (answer !== undefined || expired === true) return true
    this.setOpen(row)
    return false
  }

  /** A task has come to rest with the answers it has: they alone are no reason to enter it again. */
  see(frame: TaskFrame): void {
    let answers = 0
    for (const memo of frame.memo.values()) if (isAnswered(memo)) answers += 1
    const seen = frame.memo.get(SEEN)
    if (answers === (seen?.kind === 'seen' ? seen.answers : 0)) return
    const memo: Memo = { kind: 'seen', answers }
    frame.memo.set(SEEN, memo)
    if (this.#run.journal.durable)
      this.#run.journal.put(`m ${frame.id} ${SEEN}`, JSON.stringify(memo))
  }

  #book(): QuestionBook {
    const { services, journal } = this.#run
    return {
      services,
      journal,
      row: (id) => this.#open.get(id),
      waitsInGraph: (gid) => [...this.#waiting.keys()].some((task) => ownerOf(task) === gid),
      nextOrdinal: () => this.nextOrdinal(),
      put: (row) => {
        this.setOpen(row)
        this.save(row)
      },
      cancel: (row) => this.cancel(row),
    }
  }

  #restoreOne(row: QuestionRow, answer: { readonly value: unknown } | undefined): void {
    const { memos } = this.#run.restored
    const memo = memos.get(row.task) ?? new Map<string, Memo>()
    const restored = this.components.restore(row, answer, memo.get(row.path))
    memos.set(row.task, memo.set(row.path, restored))
  }

  get(id: string): QuestionRow | undefined {
    return this.#open.get(id)
  }

  /** Every open question, in the order they were opened. */
  all(): QuestionRow[] {
    return [...this.#open.values()].toSorted((a, b) => a.ordinal - b.ordinal)
  }

  isSaved(id: string): boolean {
    return this.#saved.has(id)
  }

  /** How many questions the thread has opened, ever. */
  get asked(): number {
    return this.#asked
  }

  nextOrdinal(): number {
    this.#asked += 1
    return this.#asked
  }

  /** Looks at a question's deadline again. */
  watch(id: string): void {
    this.#deadlines.watch(id, this.#open.get(id)?.expiresAt)
  }

  /** The run rests or is over: deadlines that pass from now on are settled by whoever comes next. */
  ignoreDeadlines(): void {
    this.#deadlines.stop()
  }

  /** Saves a row, then announces it. */
  save(row: QuestionRow): void {
    this.#saved.delete(row.id)
    const { journal } = this.#run
    if (journal.durable)
      journal.open({
        id: row.id,
        ordinal: row.ordinal,
        kind: row.kind,
        ...(row.expiresAt === undefined ? {} : { expiresAt: row.expiresAt }),
        body: JSON.stringify(encode(row)),
      })
    const saved = journal.save('question')
    if (saved === undefined) this.#announce(row)
    else this.#announceWhen(saved, row)
  }

  /** Rows that one commit saves are announced together. */
  #announceWhen(saved: Promise<void>, row: QuestionRow): void {
    if (this.#unsaved?.saved === saved) {
      this.#unsaved.rows.push(row)
      return
    }
    const rows = [row]
    this.#unsaved = { saved, rows }
    void this.#announceAll(saved, rows)
  }

  async #announceAll(saved: Promise<void>, rows: readonly QuestionRow[]): Promise<void> {
    this.#saving += 1
    try {
      await saved
      for (const row of rows) this.#announce(row)
    } catch {
      // Whoever saves next is told of the failure.
    } finally {
      if (this.#unsaved?.rows === rows) this.#unsaved = undefined
      this.#saving -= 1
      this.#run.changed()
    }
  }

  /** True while a question is being saved: nobody has been asked it yet. */
  get saving(): boolean {
    return this.#saving > 0
  }

  #announce(row: QuestionRow): void {
    this.#saved.add(row.id)
    this.#run.emit(row.address, {
      type: 'interrupt:open',
      interrupt: interruptOf(row, this.#run.threadId),
    })
    this.#run.asker.notify()
  }

  /** Opens a stop that nobody's code asks for. */
  openBreakpoint(at: { task: string; address: Address; message: string; payload: unknown }): void {
    const question: Question = {
      kind: 'breakpoint',
      message: at.message,
      payload: at.payload,
      hasDefault: false,
      onChange: 'accept',
    }
    const { clock, ids, hash } = this.#run.services
    const row = rowOf(question, {
      id: ids.interrupt(),
      ordinal: this.nextOrdinal(),
      task: at.task,
      path: '["breakpoint"]',
      asked: 'breakpoint',
      address: at.address,
      key: formatAddress(at.address, '/'),
      digest: digestOf(question, hash),
      now: clock(),
    })
    this.setOpen(row)
    this.save(row)
  }

  /** True when `task`, or anything that runs inside it, has an open question. */
  waitsIn(task: string): boolean {
    return this.#waiting.has(task)
  }

  /** True when `task` and what runs inside it wait, and only for what components' signals ask. */
  waitsForSignals(task: string): boolean {
    return this.#waiting.has(task) && !this.#calling.has(task)
  }

  /** Closes the open questions of `task` and of what runs inside it: nobody will come back to them. */
  cancelIn(task: string): void {
    if (!this.#waiting.has(task)) return
    for (const row of this.all()) if (lineage(row.task).includes(task)) this.cancel(row)
  }

  cancel(row: QuestionRow): void {
    this.closeRow(row)
    this.#run.journal.close(row.id, 'cancel')
    this.#run.emit(row.address, { type: 'interrupt:closed', id: row.id, reason: 'cancelled' })
  }

  setOpen(row: QuestionRow): void {
    if (!this.#open.has(row.id)) this.#count(row, 1)
    this.#open.set(row.id, row)
    this.#deadlines.watch(row.id, row.expiresAt)
  }

  closeRow(row: QuestionRow): void {
    if (!this.#open.delete(row.id)) return
    this.#deadlines.forget(row.id)
    this.components.closed(row.id)
    this.#count(row, -1)
  }

  #count({ task, asked }: QuestionRow, by: 1 | -1): void {
    for (const id of lineage(task)) {
      add(this.#waiting, id, by)
      if (asked !== 'component') add(this.#calling, id, by)
    }
  }
}

function add(counts: Map<string, number>, id: string, by: number): void {
  const count = (counts.get(id) ?? 0) + by
  if (count > 0) counts.set(id, count)
  else counts.delete(id)
}

function isAnswered(memo: Memo): boolean {
  if (memo.kind === 'component') return memo.answer !== undefined
  return memo.kind === 'question' && (memo.answer !== undefined || memo.expired === true)
}
