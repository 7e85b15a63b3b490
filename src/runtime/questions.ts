// Questions keeps what the run asks: rows, the calls that wait for them, and answers on their way.
//
// Invariants:
//   1. An answer counts only when every answer given with it was accepted and all are saved together.
//   2. An answer is bound to the digest of what was shown: if the call now asks something else, it is void.
//   3. A question keeps its id as long as it is open, whatever else is answered or restarted.

import { formatAddress, segmentKey, type Address } from '../core/address.ts'
import { encode } from '../core/codec.ts'
import {
  AlreadyAnsweredError,
  InterruptTimeoutError,
  InvalidAnswerError,
  NoScopeError,
  NoStoreError,
  ReplayMismatchError,
  StaleAnswerError,
  UnknownInterruptError,
  type Problem,
} from '../core/errors.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import { Components, type QuestionBook } from './components.ts'
import { DeadlineTimer } from './deadline-timer.ts'
import type { Engine, Leaf, Outcome, QuestionDesk, TaskFrame, TaskScope } from './engine.ts'
import type { ComponentMemo, Memo } from './memo.ts'
import {
  accept,
  checkShape,
  digestOf,
  interruptOf,
  rowOf,
  type Question,
  type QuestionRow,
} from './question.ts'
import type { Ending } from './raised.ts'
import { invokedAt, lineage, ownerOf } from './restored.ts'
import { Submission } from './submission.ts'

type QuestionMemo = Extract<Memo, { kind: 'question' }>

/** What a waiting call gets. */
type Came = { readonly value: unknown } | { readonly error: unknown }

/** Who answers by a default. */
const TIMEOUT: AnswerSource = { via: 'timeout', by: 'timeout' }

export class Questions implements QuestionDesk {
  readonly #run: Engine
  readonly #open = new Map<string, QuestionRow>()
  readonly #leaves = new Map<string, Leaf>()
  readonly #saved = new Set<string>()
  /** Tasks that have an answer to take, and the tasks around them. */
  readonly targets = new Set<string>()
  /** How many open questions each task has, in itself and inside it. */
  readonly #waiting = new Map<string, number>()
  readonly #components: Components
  /** Where, inside a task, graphs were invoked in which something goes on. */
  readonly #passages = new Map<string, Set<string>>()
  /** Tasks, and those around them, that are entered as soon as the answers on their way are taken. */
  readonly coming = new Set<string>()
  /** Tasks to enter again as soon as their present entry has ended. */
  readonly #again = new Map<string, Set<string>>()
  readonly #deadlines: DeadlineTimer
  /** Questions whose time is up and that are being settled. */
  readonly #expiring = new Set<string>()
  #asked: number
  #submissions = new Set<Submission>()
  #decisive: Submission | undefined

  constructor(run: Engine, asked: number) {
    this.#run = run
    this.#asked = asked
    this.#deadlines = new DeadlineTimer(run.services.clock, (ids) => {
      for (const id of ids) void this.#expire(id)
    })
    this.#components = new Components(this.#book())
    for (const stored of run.restored.questions.values()) {
      for (const { row, answer, expired } of stored) {
        const taken = row.asked === 'component' && this.#restore(row, answer).taken === true
        if (answer === undefined && expired !== true) this.#setOpen(row)
        else if (!taken) this.target(row.task)
        this.#saved.add(row.id)
      }
    }
  }

  #book(): QuestionBook {
    const { services, journal } = this.#run
    return {
      services,
      journal,
      row: (id) => this.#open.get(id),
      waitsInGraph: (gid) => [...this.#waiting.keys()].some((task) => ownerOf(task) === gid),
      nextOrdinal: () => (this.#asked += 1),
      put: (row) => {
        this.#setOpen(row)
        this.#save(row)
      },
      cancel: (row) => this.#cancel(row),
    }
  }

  #restore(row: QuestionRow, answer: { readonly value: unknown } | undefined): ComponentMemo {
    const { memos } = this.#run.restored
    const memo = memos.get(row.task) ?? new Map<string, Memo>()
    const restored = this.#components.restore(row, answer, memo.get(row.path))
    memos.set(row.task, memo.set(row.path, restored))
    return restored
  }

  /** True when the command that started this stretch was refused: what its tasks did counts for nothing. */
  get commandRefused(): boolean {
    return this.#decisive?.refused === true
  }

  get submitting(): boolean {
    return this.#submissions.size > 0 || this.#expiring.size > 0
  }

  /** How many questions the thread has opened, ever. */
  get asked(): number {
    return this.#asked
  }

  target(task: string): void {
    for (const id of lineage(task)) {
      if (this.targets.has(id)) return
      this.targets.add(id)
      const inside = invokedAt(ownerOf(id))
      if (inside === undefined) continue
      const places = this.#passages.get(inside.task)
      if (places === undefined) this.#passages.set(inside.task, new Set([inside.place]))
      else places.add(inside.place)
    }
  }

  /** Places in `task` at which graphs were invoked that have an answer to take. */
  passages(task: string): Iterable<string> {
    return this.#passages.get(task) ?? []
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  /** Every open question, in the order they were opened. */
  open(): QuestionRow[] {
    return [...this.#open.values()].sort((a, b) => a.ordinal - b.ordinal)
  }

  /** Open questions that are in the store (or would be, if there were one) and have no answer on its way. */
  saved(): QuestionRow[] {
    const taken = [...this.#submissions].flatMap(({ answers }) => [...answers.keys()])
    return this.open().filter(
      ({ id }) => this.#saved.has(id) && !this.#expiring.has(id) && !taken.includes(id),
    )
  }

  /** Resolves when every answer on its way is accepted and saved; rejects when they are refused. */
  async settled(): Promise<void> {
    while (this.#submissions.size > 0)
      for (const submission of [...this.#submissions]) await submission.done
  }

  /** Runs `act` when the command's answers are taken, before anything goes on with them. */
  whenTaken(act: () => void): void {
    this.#decisive?.before(act)
  }

  /** Nothing goes on any more: answers whose call did not come to ask for them are refused. */
  refuseStranded(): void {
    for (const submission of this.#submissions) {
      const [id] = submission.offered ? submission.missing : []
      const row = id === undefined ? undefined : this.#open.get(id)
      if (row !== undefined) submission.refuse(notReached(row, 'another stop'))
    }
  }

  /** The run rests or is over: deadlines that pass from now on are settled by whoever comes next. */
  ignoreDeadlines(): void {
    this.#deadlines.stop()
  }

  /** Answers that are not accepted yet never will be: the run is over. */
  refuseAll(reason: Error): void {
    for (const submission of this.#submissions) submission.refuse(reason)
  }

  /** Asks at a place of a task: gives the answer, now or when it comes. */
  async ask(scope: TaskScope, question: Question): Promise<unknown> {
    const { frame } = scope
    const name = `interrupt ${question.kind}`
    if (scope.unaskable !== undefined) throw new NoScopeError(name, scope.unaskable)
    frame.guard()
    const path = placeOf(scope, question)
    const order = frame.calls++
    const entry = frame.memo.get(path)
    if (entry?.kind !== 'question') return this.#openNew(scope, question, { path, order })
    this.#again.get(frame.id)?.delete(entry.row.id)
    if (entry.expired === true)
      throw new InterruptTimeoutError(entry.row.id, entry.row.expiresAt ?? '')
    if (entry.answer !== undefined) return this.#replay(scope, question, entry)
    return this.#askAgain(scope, question, entry)
  }

  async #openNew(
    scope: TaskScope,
    question: Question,
    at: { path: string; order: number },
  ): Promise<unknown> {
    const { frame } = scope
    const { clock, ids, hash } = this.#run.services
    const where = formatAddress(scope.address) || 'the flow'
    if (this.#run.options.closed === true)
      throw new NoStoreError(`${where} asks "${question.message}": waiting for a person`)
    encode(question.payload, 'payload')
    const row = rowOf(question, {
      id: ids.interrupt(),
      ordinal: (this.#asked += 1),
      task: frame.id,
      path: at.path,
      address: scope.address,
      key: question.key ?? formatAddress(scope.address, '/'),
      digest: digestOf(question, hash),
      now: clock(),
    })
    frame.memo.set(at.path, { kind: 'question', row, ...(frame.idle ? { order: at.order } : {}) })
    return this.#wait(scope, question, row)
  }

  async #replay(scope: TaskScope, question: Question, entry: QuestionMemo): Promise<unknown> {
    const { row, answer } = entry
    if (row.kind !== question.kind) {
      throw new ReplayMismatchError(
        `${row.kind} "${row.message}"`,
        `${question.kind} "${question.message}"`,
        formatAddress(scope.address) || 'the flow',
      )
    }
    if (this.#isChanged(row, question)) return this.#reopen(scope, question, entry)
    const accepted = await this.#accept(scope, question, answer?.value)
    if (accepted.ok) return accepted.value
    return this.#reopen(scope, question, entry)
  }

  /** Checks an answer where its call is: the task does not park over a check. */
  async #accept(scope: TaskScope, question: Question, value: unknown): ReturnType<typeof accept> {
    scope.frame.begin()
    try {
      return await accept(question, value)
    } finally {
      scope.frame.done()
    }
  }

  #isChanged(row: QuestionRow, question: Question): boolean {
    return (
      question.onChange !== 'accept' && digestOf(question, this.#run.services.hash) !== row.digest
    )
  }

  /** The answer is void: the same id asks what is asked now. */
  #reopen(scope: TaskScope, question: Question, entry: QuestionMemo): Promise<unknown> {
    return this.#wait(scope, question, this.#replaceRow(question, entry))
  }

  #replaceRow(question: Question, entry: QuestionMemo): QuestionRow {
    const { row } = entry
    const { clock, hash } = this.#run.services
    const digest = digestOf(question, hash)
    const next = rowOf(
      question,
      { ...row, digest, now: clock() },
      digest === row.digest ? undefined : row,
    )
    entry.row = next
    delete entry.answer
    return next
  }

  /** A question of an earlier process is asked again: still open, or being answered right now. */
  async #askAgain(scope: TaskScope, question: Question, entry: QuestionMemo): Promise<unknown> {
    const submission = this.#submissionOf(entry.row.id)
    const changed = this.#isChanged(entry.row, question) || entry.row.kind !== question.kind
    const old = entry.row
    if (changed) this.#replaceRow(question, entry)
    if (submission === undefined) return this.#wait(scope, question, entry.row, !changed)
    if (changed) {
      submission.refuse(staleError(old, entry.row))
      return this.#wait(scope, question, entry.row)
    }
    const value = submission.value(old.id)
    const accepted = await this.#accept(scope, question, value)
    if (!accepted.ok) {
      submission.refuse(invalidError(old, accepted.code ?? 'E1203', accepted.problems))
      return this.#wait(scope, question, old, true)
    }
    // Others may still have to be asked for their answers: until then this call waits like any other.
    const answer = this.#wait(scope, question, old, true)
    submission.accept(old.id, () => this.#goOn(old.id, { value: accepted.value }))
    return answer
  }

  /** Waits as a leaf; `known` when the stored row is already this one. */
  #wait(scope: TaskScope, question: Question, row: QuestionRow, known = false): Promise<unknown> {
    const { frame } = scope
    frame.guard()
    frame.questions.set(row.id, row)
    this.#setOpen(row)
    const answer = new Promise<unknown>((resolve, reject) => {
      const leaf: Leaf = { frame, row, question, resolve, reject, depth: scope.steps }
      this.#leaves.set(row.id, leaf)
      frame.leaves.set(row.id, leaf)
    })
    frame.wait(scope.steps)
    if (known) {
      if (this.#saved.has(row.id)) this.#run.asker.notify()
    } else this.#save(row)
    return answer
  }

  /** Saves a row, then announces it. */
  #save(row: QuestionRow): void {
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
    else
      saved.then(
        () => this.#announce(row),
        () => undefined,
      )
  }

  #announce(row: QuestionRow): void {
    this.#saved.add(row.id)
    this.#run.emit(row.address, {
      type: 'interrupt:open',
      interrupt: interruptOf(row, this.#run.threadId),
    })
    this.#run.asker.notify()
  }

  /** What is wrong with a value for an open question. */
  async check(id: string, value: unknown): Promise<readonly Problem[]> {
    const row = this.#open.get(id)
    if (row === undefined) return [{ path: '', message: 'the question is no longer open' }]
    const question = this.#leaves.get(id)?.question
    if (question === undefined) return checkShape(row, value)?.problems ?? []
    const accepted = await accept(question, value)
    return accepted.ok ? [] : accepted.problems
  }

  /**
   * Takes answers: all of them are accepted and saved, or none. A call that waits in this process is
   * checked at once; a task of an earlier process is entered again, and its call checks when it comes to it.
   * The run stands and falls with a `decisive` set: refused, it leaves the thread as it was.
   */
  async submit(
    answers: ReadonlyMap<string, unknown>,
    source: AnswerSource,
    decisive = false,
  ): Promise<void> {
    const submission = new Submission(answers)
    if (decisive) this.#decisive = submission
    this.#submissions.add(submission)
    try {
      await Promise.all([...answers].map(([id, value]) => this.#offer(submission, id, value)))
      submission.offered = true
      this.#run.changed()
      await submission.verified
      await this.#commit(submission, source)
      submission.finish()
    } catch (error) {
      submission.refuse(error)
      throw error
    } finally {
      this.#submissions.delete(submission)
      for (const id of answers.keys()) this.#deadlines.watch(id, this.#open.get(id)?.expiresAt)
      this.#run.changed()
    }
  }

  /** The time of a question is up: its default answers it, or its call is told. One that is being answered is left. */
  async #expire(id: string): Promise<void> {
    const row = this.#open.get(id)
    const isTaken = [...this.#submissions].some(({ answers }) => answers.has(id))
    if (row === undefined || isTaken || this.#run.stop !== undefined) return
    this.#expiring.add(id)
    this.#run.asker.withdraw(new InterruptTimeoutError(id, row.expiresAt ?? ''))
    try {
      if ('default' in row) await this.submit(new Map([[id, row.default]]), TIMEOUT)
      else await this.#endUnanswered(row)
    } catch {
      // A default that the flow does not accept answers nothing.
      if (this.#open.has(id) && this.#run.stop === undefined) await this.#endUnanswered(row)
    } finally {
      this.#expiring.delete(id)
      this.#run.changed()
    }
  }

  async #endUnanswered(row: QuestionRow): Promise<void> {
    const { journal } = this.#run
    const submission = new Submission(new Map([[row.id, undefined]]))
    submission.accept(row.id, () => this.#giveUp(row))
    this.#submissions.add(submission)
    try {
      if (journal.durable) journal.close(row.id, 'expire')
      await journal.save('deadline')
      this.#keep(row, { expired: true })
      this.#leaves.get(row.id)?.frame.questions.delete(row.id)
      this.#closeRow(row)
      this.#run.emit(row.address, { type: 'interrupt:closed', id: row.id, reason: 'expired' })
      submission.finish()
    } catch (error) {
      submission.refuse(error)
    } finally {
      this.#submissions.delete(submission)
      this.#run.changed()
    }
  }

  /** Takes a question of a waiting call away for good: the call rejects with `reason`. */
  async dismiss(id: string, reason: Error): Promise<void> {
    const leaf = this.#leaves.get(id)
    if (leaf === undefined) throw new UnknownInterruptError(id, this.open())
    const { frame, row } = leaf
    this.#cancel(row)
    await this.#run.journal.save('cancelled')
    frame.questions.delete(id)
    frame.memo.delete(row.path)
    this.#goOn(id, { error: reason })
  }

  /** Tells the call of a question whose time was up. */
  #giveUp(row: QuestionRow): void {
    const leaf = this.#leaves.get(row.id)
    if (leaf === undefined) this.#enterUnless(row)
    else this.#resume(leaf, { error: new InterruptTimeoutError(row.id, row.expiresAt ?? '') })
  }

  /** What came of a question is put where its call looks for it when it is not here. */
  #keep(row: QuestionRow, came: { answer: { value: unknown } } | { expired: true }): void {
    const frame = this.#leaves.get(row.id)?.frame ?? this.#frameOf(row.task)
    const entry = frame?.memo.get(row.path)
    if (entry?.kind === 'question') Object.assign(entry, came)
    const stored = this.#run.restored.questions.get(row.task) ?? []
    for (const question of stored) if (question.row.id === row.id) Object.assign(question, came)
  }

  #frameOf(task: string): TaskFrame | undefined {
    for (const frame of this.#run.live) if (frame.id === task) return frame
    return undefined
  }

  /** Enters the task of a question, unless it is on its way to it. */
  #enterUnless(row: QuestionRow): void {
    if (this.#frameOf(row.task)?.status !== 'live') this.#enter(row)
  }

  async #offer(submission: Submission, id: string, value: unknown): Promise<void> {
    const row = this.#open.get(id)
    if (row === undefined) throw new UnknownInterruptError(id, this.open())
    if ([...this.#submissions].some((other) => other !== submission && other.answers.has(id)))
      throw new AlreadyAnsweredError(id, {})
    const leaf = this.#leaves.get(id)
    if (leaf === undefined) {
      const refused = checkShape(row, value)
      if (refused !== undefined) throw invalidError(row, refused.code, refused.problems)
      if (row.asked === 'call') this.#enterUnless(row)
      else this.#acceptLater(submission, row)
      return
    }
    const accepted = await accept(leaf.question, value)
    if (!accepted.ok) throw invalidError(row, accepted.code ?? 'E1203', accepted.problems)
    submission.accept(id, () => this.#resume(leaf, { value: accepted.value }))
  }

  #acceptLater(submission: Submission, row: QuestionRow): void {
    for (const id of lineage(row.task)) this.coming.add(id)
    submission.accept(row.id, () => this.#enterNext(row))
  }

  /** Enters the task of an answered question; one that goes on just now is let come to its end first. */
  #enterNext(row: QuestionRow): void {
    if (this.#frameOf(row.task)?.status !== 'live') return this.#enter(row)
    const ids = this.#again.get(row.task) ?? new Set<string>()
    this.#again.set(row.task, ids.add(row.id))
  }

  /** An entry has ended or parked: the task takes the answers that it did not come to. */
  goOnLater(frame: TaskFrame, outcome: Outcome): void {
    const ids = [...(this.#again.get(frame.id) ?? [])]
    this.#again.delete(frame.id)
    const left = ids.some((id) => frame.resumption?.delivered(id) !== true)
    if (!left || outcome.kind === 'finished') return
    this.target(frame.id)
    this.#run.enter(lineage(frame.id), ownerOf)
  }

  #enter(row: QuestionRow): void {
    this.target(row.task)
    this.#run.enter(lineage(row.task), ownerOf)
  }

  async #commit(submission: Submission, source: AnswerSource): Promise<void> {
    const { journal, services, threadId } = this.#run
    const at = new Date(services.clock()).toISOString()
    const by = source.by ?? source.osUser ?? 'unknown'
    const texts = [...submission.answers].map(([id, value]) => {
      const row = this.#open.get(id)
      if (row === undefined) throw new UnknownInterruptError(id, this.open())
      return { row, value: journal.durable ? JSON.stringify(encode(value, 'answer')) : '' }
    })
    for (const { row, value } of journal.durable ? texts : []) {
      journal.answer(row.id, {
        value,
        source: JSON.stringify({ ...source, digest: row.digest, validated: true }),
        by,
        at,
        requestId: `${threadId}/${row.id}`,
      })
      this.#usedUp(row)
    }
    await journal.save('answer')
    for (const id of submission.answers.keys()) this.#take(id, submission.answers.get(id), source)
  }

  /** A breakpoint's answer has no call to go to: its task goes on, and that is all. */
  #usedUp(row: QuestionRow): void {
    if (row.asked === 'breakpoint') this.#run.journal.close(row.id, 'consume')
  }

  #take(id: string, value: unknown, source: AnswerSource): void {
    const row = this.#open.get(id)
    if (row === undefined) return
    this.#components.take(id, value)
    this.#closeRow(row)
    const frame = this.#leaves.get(id)?.frame
    frame?.questions.delete(id)
    const entry = frame?.memo.get(row.path)
    if (entry?.kind === 'question') entry.answer = { value }
    this.#run.emit(row.address, {
      type: 'interrupt:answered',
      id,
      ...(source.by === undefined ? {} : { by: source.by }),
      ...(source.via === undefined ? {} : { via: source.via }),
      ...(source.unseen === true ? { unseen: true } : {}),
      ...(row.secret === true ? {} : { value: encode(value) }),
    })
  }

  /** An answered call goes on: it returns, or its task is entered again from its top. */
  #resume(leaf: Leaf, came: Came): void {
    const { frame, row } = leaf
    if (
      this.#run.options.replayAlways === true ||
      frame.status === 'ended' ||
      frame.status === 'fenced'
    ) {
      // Its call is gone, or must not be trusted to go on: the task is entered again from its top.
      this.#leaves.delete(row.id)
      this.#enterNext(row)
      return
    }
    this.#goOn(row.id, came)
  }

  /** The call that waits for `id` returns or rejects, as soon as its task has its turn. */
  #goOn(id: string, came: Came): void {
    const leaf = this.#leaves.get(id)
    if (leaf === undefined) return
    this.#leaves.delete(id)
    leaf.frame.leaves.delete(id)
    const turn = leaf.frame.wake(leaf.depth)
    const settle = (): void =>
      'error' in came ? leaf.reject(came.error) : leaf.resolve(came.value)
    if (turn === undefined) settle()
    else void turn.then(settle)
  }

  /** An answer that somebody stored while this run goes on. Its call takes it now, or asks again if it can't. */
  async deliver(id: string, value: unknown, source: AnswerSource): Promise<void> {
    const row = this.#open.get(id)
    const leaf = this.#leaves.get(id)
    if (row === undefined) return
    const accepted = leaf === undefined ? undefined : await accept(leaf.question, value)
    if (leaf !== undefined && accepted?.ok === false) {
      this.#save(row)
      return
    }
    this.#take(id, value, source)
    this.#usedUp(row)
    this.#run.asker.withdraw(new Error(`answered by ${source.by ?? 'somebody else'}`))
    if (leaf !== undefined && accepted?.ok === true) this.#resume(leaf, { value: accepted.value })
    else if (row.asked === 'component') this.#enterNext(row)
    else {
      this.#keep(row, { answer: { value } })
      this.#enterUnless(row)
    }
  }

  #submissionOf(id: string): Submission | undefined {
    for (const submission of this.#submissions) if (submission.expects(id)) return submission
    return undefined
  }

  /** A frame that was entered to take an answer ended or parked without asking for it. */
  missed(frame: TaskFrame, outcome: Outcome): void {
    if (this.#submissions.size === 0 || outcome.kind === 'abandoned') return
    for (const row of frame.questions.values()) {
      const submission = this.#submissionOf(row.id)
      if (submission === undefined || this.#leaves.has(row.id)) continue
      const got = outcome.kind === 'finished' ? 'the end of the task' : 'another stop'
      submission.refuse(outcome.kind === 'failed' ? outcome.error : notReached(row, got))
    }
  }

  /** Opens what the components of an entry that ended ask. True when they ask something. */
  raise(frame: TaskFrame, outcome: Outcome): boolean {
    const { refused, thrown, escaped } = frame
    if (refused !== undefined) {
      this.#components.reopen(frame, refused.id)
      this.#run.asker.fail(refused.error)
    }
    if (thrown.length === 0 && escaped === undefined) return false
    return this.#components.raise(frame, thrown, endingOf(outcome, refused !== undefined))
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
      ordinal: (this.#asked += 1),
      task: at.task,
      path: '["breakpoint"]',
      asked: 'breakpoint',
      address: at.address,
      key: formatAddress(at.address, '/'),
      digest: digestOf(question, hash),
      now: clock(),
    })
    this.#setOpen(row)
    this.#save(row)
  }

  /** True when `task`, or anything that runs inside it, has an open question. */
  waitsIn(task: string): boolean {
    return this.#waiting.has(task)
  }

  /** Closes the open questions of `task` and of what runs inside it: nobody will come back to them. */
  cancelIn(task: string): void {
    if (!this.#waiting.has(task)) return
    for (const row of this.open()) if (lineage(row.task).includes(task)) this.#cancel(row)
  }

  #cancel(row: QuestionRow): void {
    this.#closeRow(row)
    this.#run.journal.close(row.id, 'cancel')
    this.#run.emit(row.address, { type: 'interrupt:closed', id: row.id, reason: 'cancelled' })
  }

  #setOpen(row: QuestionRow): void {
    if (!this.#open.has(row.id))
      for (const id of lineage(row.task)) this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1)
    this.#open.set(row.id, row)
    this.#deadlines.watch(row.id, row.expiresAt)
  }

  #closeRow(row: QuestionRow): void {
    if (!this.#open.delete(row.id)) return
    this.#deadlines.forget(row.id)
    this.#components.closed(row.id)
    for (const id of lineage(row.task)) {
      const left = (this.#waiting.get(id) ?? 1) - 1
      if (left === 0) this.#waiting.delete(id)
      else this.#waiting.set(id, left)
    }
  }
}

function endingOf({ kind }: Outcome, refused: boolean): Ending {
  if (kind === 'finished') return 'returned'
  return kind === 'failed' || refused ? 'failed' : 'raised'
}

function placeOf(scope: TaskScope, { key }: Question): string {
  if (key !== undefined) return scope.place(segmentKey({ type: 'interrupt', id: key }))
  return scope.path + segmentKey({ type: 'interrupt', id: String(scope.ordinal('interrupt')) })
}

/** The task was entered for an answer and did not come to its question. */
function notReached({ kind, message, address }: QuestionRow, got: string): ReplayMismatchError {
  return new ReplayMismatchError(`${kind} "${message}"`, got, formatAddress(address) || 'the flow')
}

function invalidError(
  row: QuestionRow,
  code: string,
  problems: readonly Problem[],
): InvalidAnswerError {
  return new InvalidAnswerError(
    code,
    `Question "${row.id}" (${row.message})`,
    problems,
    'Nothing changed: the question is still open.',
  )
}

function staleError(old: QuestionRow, now: QuestionRow): StaleAnswerError {
  return new StaleAnswerError(
    old.id,
    {
      was: { message: old.message, payload: old.payload, digest: old.digest },
      now: { message: now.message, payload: now.payload, digest: now.digest },
    },
    `it asked ${JSON.stringify(old.message)}, it asks ${JSON.stringify(now.message)}`,
  )
}
