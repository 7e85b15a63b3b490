import type { ResumeCommand, RunResult, ThreadView } from '../core/command.ts'
import { ThreadClosedError, UnknownThreadError } from '../core/errors.ts'
import type { Flow } from '../core/flow.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import type { Page } from '../core/store.ts'
import { dueOf, settleSeen } from './deadline.ts'
import { checkpointOf, forkThread, type ForkOptions } from './fork.ts'
import {
  Launcher,
  type Adapt,
  type FlowFunction,
  type ResumeOptions,
  type RunnerOptions,
  type RunOptions,
} from './launcher.ts'
import { resolveAnswers } from './resolve-answers.ts'
import { RunHandle, type Run } from './run.ts'
import { survivalOf, type Survival } from './survival.ts'
import { listThreads, type ThreadSummary } from './thread-list.ts'
import { ThreadReader } from './thread-reader.ts'
import { metaOf, textOf } from './thread-record.ts'

/** Starts threads, continues them, and tells about them. */
export class ThreadRunner extends ThreadReader {
  readonly #options: RunnerOptions
  readonly #launcher: Launcher

  constructor(options: RunnerOptions, adapt: Adapt) {
    super(options)
    this.#options = options
    this.#launcher = new Launcher(options, adapt, this.services)
  }

  /** Starts a thread. Its input is checked before the thread exists. */
  run(flow: Flow | FlowFunction, input?: unknown, options: RunOptions = {}): Run {
    const threadId = options.threadId ?? this.services.ids.thread()
    return new RunHandle(threadId, (handle) =>
      this.#launcher.start(handle, { flow, input }, options),
    )
  }

  /** {@link run} for who only wants the result. */
  invoke(flow: Flow | FlowFunction, input?: unknown, options: RunOptions = {}): Promise<RunResult> {
    return this.run(flow, input, options).result
  }

  /** Continues a thread. Every refusal comes before anything runs or is written. */
  resume(threadId: string, command: ResumeCommand = {}, options: ResumeOptions = {}): Run {
    return new RunHandle(threadId, async (handle) => {
      this.store(`Resuming thread "${threadId}"`)
      return this.#launcher.resume(handle, command, options)
    })
  }

  /**
   * Changes a resting thread without running it: folds `update` in through the flow's reducers, plans the
   * nodes of `goto`. `within` is the address of a subgraph that has begun, when it is that one's state. Checked
   * before anything is written.
   */
  update(
    threadId: string,
    command: Pick<ResumeCommand, 'update' | 'goto' | 'ifVersion'>,
    options: ResumeOptions = {},
  ): Promise<RunResult> {
    return this.resume(threadId, command, { ...options, edit: true, retryFailed: false }).result
  }

  /** Stores answers without running, also while another process runs the thread. */
  async answer(
    threadId: string,
    command: Pick<ResumeCommand, 'answers' | 'answer' | 'digests' | 'ifVersion'>,
    options: { readonly source?: AnswerSource } = {},
  ): Promise<ThreadView> {
    const store = this.store('Answering')
    const stored = await this.load(threadId)
    const answers = resolveAnswers(stored, command, this.services.clock())
    const source = { via: 'call' as const, ...this.#options.source, ...options.source }
    await store.answer({
      threadId,
      answers: [...answers].map(([id, value]) => ({ id, value: textOf(value) })),
      source: textOf(source),
      by: source.by ?? source.osUser ?? 'unknown',
      requestId: this.services.ids.unique(),
    })
    return this.get(threadId)
  }

  /**
   * Settles every deadline that has passed, and continues each thread that can go on: by what was settled,
   * or by answers that were stored. Gives the results by thread.
   */
  async tick(options: ResumeOptions = {}): Promise<ReadonlyMap<string, RunResult | Error>> {
    const results = new Map<string, RunResult | Error>()
    for (const { threadId } of await this.settle()) {
      const done = this.resume(threadId, {}, { ...options, retryFailed: false }).result
      results.set(threadId, await done.catch((error: unknown) => asError(error)))
    }
    return results
  }

  /** Records every deadline that has passed, and gives the threads that can go on. Runs nothing. */
  async settle(): Promise<readonly ThreadSummary[]> {
    const store = this.store('Settling')
    for await (const { head, open } of everyItem((after) => store.pending(after))) {
      if (dueOf(open, this.services.clock()).length > 0)
        await settleSeen(store, head.id, this.services)
    }
    const ready: ThreadSummary[] = []
    const status = ['ready'] as const
    // One that can't be read is left as it is: lists and doctor name it.
    for await (const one of everyItem((after) => listThreads(store, { ...after, status })))
      ready.push(one)
    return ready
  }

  /** Copies a thread, as it was at a checkpoint, into a new one. The original never changes. */
  async fork(threadId: string, options: ForkOptions = {}): Promise<ThreadView> {
    const store = this.store('Forking')
    const from = await checkpointOf(store, await this.load(threadId), options.at)
    const parts = { store, services: this.services, claimant: this.#launcher.claimant() }
    return this.get(await forkThread(from, options, parts))
  }

  /** Which waiting threads of a flow survive this version of it. Nothing is run or written. */
  async check(flow: Flow | FlowFunction): Promise<readonly Survival[]> {
    const store = this.store('Checking')
    const runnable = this.#launcher.adapt(flow)
    const query = { flow: runnable.name, status: WAITING }
    const found: Survival[] = []
    for await (const { id } of everyItem((after) => store.threads({ ...query, ...after }))) {
      const thread = await store.load(id)
      if (thread !== undefined) found.push(survivalOf(thread, runnable))
    }
    return found
  }

  /** Closes a thread for good; its open questions with it. */
  async cancel(threadId: string, reason = 'cancelled'): Promise<ThreadView> {
    const store = this.store('Cancelling')
    const { head } = await this.load(threadId)
    if (head.status === 'completed' || head.status === 'cancelled')
      throw new ThreadClosedError(threadId, head.status)
    const claimed = await store.claim(threadId, this.#launcher.claimant())
    const open = claimed.interrupts.filter(
      ({ status }) => status === 'open' || status === 'answered',
    )
    await store.commit({
      threadId,
      expectVersion: claimed.head.version,
      fence: claimed.fence,
      status: 'cancelled',
      label: 'cancelled',
      cancel: open.map(({ id }) => id),
      meta: textOf({ ...metaOf(claimed.head), error: { name: 'CancelledError', message: reason } }),
      release: true,
    })
    return this.get(threadId)
  }

  /** @throws UnknownThreadError, ThreadLockedError while somebody runs it */
  async delete(threadId: string): Promise<void> {
    const existed = await this.store('Deleting').delete(threadId)
    if (!existed) throw new UnknownThreadError(threadId)
  }
}

/** Statuses of threads that have something left to do. */
const WAITING = ['ready', 'running', 'suspended', 'failed'] as const

/** The items of all pages, one after another. */
async function* everyItem<T>(
  load: (after: { readonly after?: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let after: { readonly after?: string } = {}
  for (;;) {
    const page = await load(after)
    yield* page.items
    if (page.next === undefined) return
    after = { after: page.next }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
