// A Frame is one task while it runs: its memo, the questions it waits for, and whether anything in it
// is still going on. Everything below the task (tools, steps, invoked graphs) shares it.
//
// Invariants:
//   1. A frame is parked when something in it waits for a person and nothing else is known to run.
//   2. A question is recorded before its call is unwound: code may swallow the signal, not the question.
//   3. After its end or its abandonment every step() and interrupt() of it rejects. Once a call of it was unwound
//      nothing more is asked, and no step runs but in components beside that call.

import { formatAddress, type Address } from '../core/address.ts'
import { FencedError } from '../core/errors.ts'
import { controllerWithin } from './abort.ts'
import { runInScope } from './carrier.ts'
import type { Engine, Leaf, Outcome, TaskFrame } from './engine.ts'
import { openIn, orderedIn, type Memo } from './memo.ts'
import { placesAround } from './place.ts'
import type { QuestionRow } from './question.ts'
import { invokedAt } from './restored.ts'
import type { ResumeInfo } from './resume-info.ts'
import type { RunningScopes } from './running-scopes.ts'
import { Scope } from './scope.ts'
import { createSignal, takeApart, type InterruptSignal } from './signal.ts'
import { isThenable } from './thenable.ts'
import { unwindsGraphs } from './unwound-graphs.ts'
import { UnwoundPlaces } from './unwound-places.ts'

export type { Memo } from './memo.ts'

const NONE: readonly InterruptSignal[] = []

/** Where a frame stands, and the earlier entry of its task that it goes on from. */
export interface FramePlace {
  readonly id: string
  readonly address: Address
  readonly earlier?: Frame | undefined
}

export class Frame implements TaskFrame {
  readonly run: Engine
  readonly id: string
  readonly address: Address
  /** Called when a parked frame goes on; may give the moment when its turn has come. */
  onWake: ((frame: Frame) => Promise<void> | undefined) | undefined
  // Most tasks of a graph neither ask nor remember: what only those need is made when it is first used.
  #memo: Map<string, Memo> | undefined
  #questions: Map<string, QuestionRow> | undefined
  #leaves: Map<string, Leaf> | undefined
  #hosted: Set<string> | undefined
  #unfinished: Set<string> | undefined
  #recorded: Map<number, Memo> | undefined
  /** Stands still while the frame waits. */
  timer: { run(): void; pause(): void } | undefined
  /** True when the body does nothing but run a subgraph: nothing unknown can go on beside it. */
  plain = false
  calls = 0
  #status: TaskFrame['status'] = 'live'
  /** Its waiting calls were given up while it was parked: code that catches that runs no step any more. */
  #unwound = false
  #active = 0
  #waiting = 0
  #settle: ((outcome: Outcome) => void) | undefined
  /** How it ended before anybody waited for that. */
  #settled: Outcome | undefined
  #body: Promise<void> | undefined
  #abort: AbortController | undefined
  #turn: Promise<void> | undefined

  /** What this entry's components may be handed; made when the first of them asks. */
  resumption: ResumeInfo | undefined
  /** A component was told why it runs again: it may do other things than in its last entry. */
  varies = false
  /** The signals in what ended this entry. */
  thrown: readonly InterruptSignal[] = NONE
  /** Signals that left a component's scope in this entry. */
  escaped: Set<InterruptSignal> | undefined
  /** Where calls of this entry were unwound. */
  #left: UnwoundPlaces | undefined
  /** Components that have begun and not ended. */
  inside: RunningScopes | undefined
  /** The question whose answer a component could not use, and so ended this entry. */
  refused: { readonly id: string; readonly error: unknown } | undefined

  constructor(run: Engine, at: FramePlace) {
    this.run = run
    this.id = at.id
    this.address = at.address
    const { earlier } = at
    this.#memo = earlier === undefined ? run.memoOf(at.id) : earlier.memo
    if (earlier?.hosts === true) this.#hosted = new Set(earlier.hosted)
    if (this.#memo !== undefined)
      for (const row of openIn(this.#memo)) this.questions.set(row.id, row)
  }

  /** What its entries have done, by place. */
  get memo(): Map<string, Memo> {
    return (this.#memo ??= new Map())
  }

  /** Open questions of this task, asked in this process or not yet asked again. */
  get questions(): Map<string, QuestionRow> {
    return (this.#questions ??= new Map())
  }

  get leaves(): Map<string, Leaf> {
    return (this.#leaves ??= new Map())
  }

  get hosts(): boolean {
    return this.#hosted !== undefined && this.#hosted.size > 0
  }

  /** Graph instances that run inside. */
  get hosted(): Set<string> {
    return (this.#hosted ??= new Set())
  }

  /** Anonymous steps that have not finished, by scope and name. */
  get unfinished(): Set<string> {
    return (this.#unfinished ??= new Set())
  }

  /** What earlier entries did one after another, by position. */
  get recorded(): Map<number, Memo> {
    return (this.#recorded ??= new Map())
  }

  get status(): TaskFrame['status'] {
    return this.#status
  }

  /** True while one thing is done after another, the same things as in every entry. */
  get idle(): boolean {
    return this.#active === 0 && !this.varies
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Runs `body` in this frame; gives how it ended, or that it parked. */
  start(body: () => unknown): Outcome | Promise<Outcome> {
    return this.launch(body) ?? this.next()
  }

  /** Begins `body`; gives how it ended, or that it parked, where nothing is awaited. */
  launch(body: () => unknown): Outcome | undefined {
    this.run.live.add(this)
    this.#status = 'live'
    this.#execute(body)
    return this.#settled
  }

  #execute(body: () => unknown): void {
    let value: unknown
    let later = false
    try {
      value = this.enter(body)
      later = isThenable(value)
    } catch (error) {
      this.#body = this.#threw(error)
      return
    }
    if (!later) return this.#end({ kind: 'finished', value })
    this.#body = Promise.resolve(value).then(
      (given) => this.#end({ kind: 'finished', value: given }),
      (error: unknown) => this.#threw(error),
    )
  }

  /** Resolves when a frame that goes on ends or parks again. */
  next(): Promise<Outcome> {
    return new Promise((resolve) => this.whenSettled(resolve))
  }

  /** Has `settle` told, once, when a frame that goes on ends or parks. */
  whenSettled(settle: (outcome: Outcome) => void): void {
    this.#settle = settle
  }

  #give(outcome: Outcome): void {
    this.timer?.pause()
    if (this.#settle === undefined) this.#settled = outcome
    else this.#settle(outcome)
  }

  async #threw(error: unknown): Promise<void> {
    const outcome = this.#failure(error)
    if (outcome.kind === 'parked') await this.#drain()
    // A step that was refused after the signal had been caught.
    else if (this.#unwound) this.run.swallowed(this)
    this.#end(outcome)
  }

  /** Lets the components beside the one that asks come to their end, or to a question of their own. */
  async #drain(): Promise<void> {
    await this.inside?.drained(() => {
      if (this.#status !== 'live') return 'no'
      if (this.#active > 0) return 'surely'
      const calls = [...this.leaves.values()].map(({ row }) => row.path)
      const graphs = [...this.hosted].flatMap((gid) => invokedAt(gid)?.place ?? [])
      return this.inside?.goOn([...calls, ...graphs]) === true ? 'maybe' : 'no'
    })
  }

  /** Runs `body` from its top: places are counted anew, and calls an earlier try left waiting are let go. */
  enter<T>(body: () => T): T {
    this.calls = 0
    this.resumption = undefined
    this.varies = false
    this.escaped = undefined
    this.#left = undefined
    this.inside = undefined
    if (this.#memo !== undefined)
      for (const [order, memo] of orderedIn(this.#memo)) this.recorded.set(order, memo)
    if (this.#leaves !== undefined) this.#letGo(this.#leaves)
    return runInScope(new Scope(this, this.address), body)
  }

  #letGo(leaves: Map<string, Leaf>): void {
    for (const { depth, row, reject } of leaves.values()) {
      this.#waiting -= 1
      this.#active += depth
      reject(createSignal({ id: row.id, address: row.address, info: row.payload }))
    }
    leaves.clear()
  }

  #failure(error: unknown): Outcome {
    const { signals, ordinary } = takeApart(error)
    this.thrown = signals
    const id = this.resumption?.refusedBy(error)
    if (id !== undefined) this.refused = { id, error }
    // An ordinary error that gathers signals beside it is still a failure.
    const failed = ordinary && id === undefined && !this.#wasFenced(error)
    return failed ? { kind: 'failed', error } : { kind: 'parked' }
  }

  /** It only went on after a graph inside was unwound: it waits with that, it has not failed. */
  #wasFenced(error: unknown): boolean {
    const fenced = error instanceof FencedError && this.#status === 'live' && this.#waitsInside
    if (fenced) this.run.swallowed(this)
    return fenced
  }

  #end(outcome: Outcome): void {
    this.run.live.delete(this)
    if (this.#status === 'fenced') return
    const parked = this.#status === 'parked'
    this.#status = parked ? 'fenced' : 'ended'
    const asks = (this.#signals && this.run.raise(this, outcome)) || parked || this.#asks
    // The code returned although something waits: what it returned is dropped.
    const dropped = outcome.kind === 'finished' && asks
    if (dropped) this.run.swallowed(this)
    if (parked) return
    this.run.reached(this, outcome)
    this.#give(dropped ? { kind: 'parked' } : outcome)
  }

  /** True when this entry made signals, or refused an answer. */
  get #signals(): boolean {
    return this.thrown.length > 0 || this.escaped !== undefined || this.refused !== undefined
  }

  /** True while something of this entry waits for a person. */
  get #asks(): boolean {
    return (this.#questions?.size ?? 0) > 0 || this.#waiting > 0 || this.#waitsInside
  }

  /** True while something waits in graphs inside that were unwound. */
  get #waitsInside(): boolean {
    return this.#left !== undefined && this.run.questions.waitsIn(this.id)
  }

  /**
   * A component may catch its child's signal and ask for the next child; a step behind it would act on an answer
   * that nobody gave. @throws FencedError when this branch has ended, for an effect also when it was unwound
   */
  guard(effect = false): void {
    if ((effect && this.#unwound) || this.#status === 'ended' || this.#status === 'fenced')
      throw new FencedError(formatAddress(this.address))
  }

  /** True once a call of this entry was unwound. */
  get unwound(): boolean {
    return this.#unwound || this.#left !== undefined
  }

  /** A call made in the scope at `place` is unwound. */
  leave(place: string): void {
    this.#left ??= new UnwoundPlaces()
    this.#left.add(place)
  }

  /** @throws FencedError when a call was unwound in the scope at `place`, or inside it */
  expectAnswered(place: string): void {
    if (this.#left?.has(place) === true) throw new FencedError(formatAddress(this.address))
  }

  /** Something is going on that this frame can't park over. */
  begin(count = 1): void {
    this.#active += count
  }

  done(count = 1): void {
    this.#active -= count
    this.inside?.stir()
    this.#look()
  }

  /** A call starts to wait for a person; `depth` steps around it wait with it. */
  wait(depth: number): void {
    this.#waiting += 1
    this.#active -= depth
    this.inside?.stir()
    this.#look()
  }

  /** A call that waited goes on: at once, or when the promise resolves. */
  wake(depth: number): Promise<void> | undefined {
    this.#waiting -= 1
    this.#active += depth
    if (this.#status === 'parked') this.#goOn()
    // Another call may still wait: then this entry parks again.
    this.#look()
    return this.#turn
  }

  #goOn(): void {
    this.#status = 'live'
    const turn = this.onWake?.(this)
    if (turn === undefined) this.timer?.run()
    else this.#turn = this.#waitFor(turn)
  }

  async #waitFor(turn: Promise<void>): Promise<void> {
    this.begin()
    await turn
    this.#turn = undefined
    this.timer?.run()
    this.done()
  }

  #look(): void {
    if (this.#waiting === 0 || this.#active > 0 || this.#status !== 'live') return
    if (this.plain) this.park()
    else this.run.later(this)
  }

  /** Parks if still nothing goes on. */
  park(): void {
    if (this.#waiting === 0 || this.#active > 0 || this.#status !== 'live') return
    if (this.hosts && !this.plain && unwindsGraphs(this)) return
    this.#status = 'parked'
    this.timer?.pause()
    this.run.reached(this, { kind: 'parked' })
    this.#give({ kind: 'parked' })
  }

  /** Unwinds every waiting call; resolves when the body is out. */
  unwind(): Promise<void> {
    this.#unwound ||= this.#status === 'parked'
    const leaves = [...this.leaves.values()]
    this.leaves.clear()
    for (const { row, reject } of leaves) {
      this.leave(placesAround(row.path).at(-1) ?? '')
      reject(createSignal({ id: row.id, address: row.address, info: row.payload }))
    }
    return this.#body ?? Promise.resolve()
  }

  /** Lets this entry go: the task is entered again by another frame. */
  retire(): void {
    this.#giveUp(undefined)
  }

  /** Gives the task up where it stands: it runs again from its stored input. */
  abandon(reason: unknown): void {
    this.#giveUp({ reason })
  }

  #giveUp(told: { readonly reason: unknown } | undefined): void {
    if (this.#status === 'ended' || this.#status === 'fenced') return
    const parked = this.#status === 'parked'
    this.#status = 'fenced'
    if (told !== undefined) this.#controller.abort(told.reason)
    this.run.live.delete(this)
    if (!parked) this.#give({ kind: 'abandoned' })
    void this.unwind().catch(() => undefined)
  }

  /** Ends the task with an error that came from outside its code (a timeout). */
  fail(error: unknown): void {
    if (this.#status !== 'live') return
    this.#status = 'fenced'
    this.#controller.abort(error)
    this.run.live.delete(this)
    this.run.reached(this, { kind: 'failed', error })
    this.#give({ kind: 'failed', error })
  }

  /** Tells the running code to stop, without giving it up. */
  stop(reason: unknown): void {
    this.#controller.abort(reason)
  }

  get #controller(): AbortController {
    return (this.#abort ??= controllerWithin(this.run.abort?.signal))
  }
}
