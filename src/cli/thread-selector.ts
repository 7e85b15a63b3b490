import type { ThreadView } from '../core/command.ts'
import { HexagonError, UnknownThreadError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { ThreadSummary } from '../runner/thread-list.ts'
import type { ThreadReader } from '../runner/thread-reader.ts'
import { allPending, allThreads } from './page-walk.ts'
import { formatRelative } from './render/time.ts'

const SHORTEST_PREFIX = 4
const LISTED = 8

/** The thread a selector means, and how surely it means it. */
export interface SelectedThread {
  readonly view: ThreadView
  /** Set when the selector was the id of a question. */
  readonly interruptId?: string
  /** False for a prefix and `@latest`: somebody else's thread may be meant tomorrow. */
  readonly exact: boolean
}

/**
 * Finds a thread by its full id, a prefix of 4 characters or more, `@latest` (the newest suspended one),
 * or by the id of one of its questions. @throws HexagonError E1301, E1302
 */
export async function selectThread(
  selector: string,
  runner: ThreadReader,
): Promise<SelectedThread> {
  if (selector === '@latest') return { view: await latest(runner), exact: false }
  if (selector.startsWith('i_')) return byQuestion(selector, runner)
  const known = await findThread(selector, runner)
  if (known !== undefined) return { view: known, exact: true }
  return { view: await runner.get(await byPrefix(selector, runner)), exact: false }
}

/** The thread with exactly this id, if there is one. */
export async function findThread(
  threadId: string,
  runner: ThreadReader,
): Promise<ThreadView | undefined> {
  try {
    return await runner.get(threadId)
  } catch (error) {
    if (error instanceof UnknownThreadError) return undefined
    throw error
  }
}

async function latest(runner: ThreadReader): Promise<ThreadView> {
  const suspended = await allThreads(runner, { status: ['suspended', 'ready'] })
  const [newest] = suspended.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  if (newest !== undefined) return runner.get(newest.threadId)
  throw new HexagonError('E1301', 'No thread is suspended', {
    hint: 'All threads: hexagon threads',
    details: { threadId: '@latest' },
  })
}

async function byPrefix(prefix: string, runner: ThreadReader): Promise<string> {
  const threads = await allThreads(runner)
  const matches =
    prefix.length < SHORTEST_PREFIX
      ? []
      : threads.filter(({ threadId }) => threadId.startsWith(prefix))
  const [first, ...others] = matches
  if (first !== undefined && others.length === 0) return first.threadId
  if (first !== undefined) throw ambiguous(prefix, matches)
  throw unknown(prefix, threads)
}

function ambiguous(prefix: string, matches: readonly ThreadSummary[]): HexagonError {
  const shown = matches
    .slice(0, LISTED)
    .map(
      ({ threadId, flow, updatedAt }) =>
        `${threadId} (${flow}, ${formatRelative(updatedAt, Date.now())})`,
    )
  const more = matches.length > LISTED ? `, and ${matches.length - LISTED} more` : ''
  return new HexagonError('E1302', `"${prefix}" matches ${matches.length} threads`, {
    hint: `Give more of the id: ${shown.join(', ')}${more}`,
    details: { prefix, threads: matches.map(({ threadId }) => threadId) },
  })
}

function unknown(selector: string, threads: readonly ThreadSummary[]): HexagonError {
  const waiting = threads.filter(({ status }) => status === 'suspended' || status === 'crashed')
  const near = nearest(
    selector,
    threads.map(({ threadId }) => threadId),
  )
  const shown = waiting.slice(0, LISTED).map(({ threadId }) => threadId)
  const list = shown.length === 0 ? 'Nothing is waiting.' : `Waiting: ${shown.join(', ')}`
  const short = selector.length < SHORTEST_PREFIX ? ' A prefix has 4 characters or more.' : ''
  return new HexagonError('E1301', `No thread "${selector}"`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}${list}${short}`,
    details: { threadId: selector, near: near === undefined ? [] : [near] },
  })
}

async function byQuestion(selector: string, runner: ThreadReader): Promise<SelectedThread> {
  const open = (await allPending(runner)).flatMap(({ threadId, interrupts }) =>
    interrupts.map(({ id }) => ({ id, threadId })),
  )
  const exact = open.filter(({ id }) => id === selector)
  const found = exact.length > 0 ? exact : open.filter(({ id }) => isPrefix(selector, id))
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) {
    const view = await runner.get(first.threadId)
    return { view, interruptId: first.id, exact: exact.length > 0 }
  }
  if (first !== undefined) {
    throw new HexagonError('E1302', `"${selector}" matches ${found.length} questions`, {
      hint: `Give more of the id: ${found
        .map(({ id }) => id)
        .slice(0, LISTED)
        .join(', ')}`,
      details: { prefix: selector, interrupts: found.map(({ id }) => id) },
    })
  }
  return byAnswered(selector, runner)
}

/** A question that is open no more: looked for in every thread, which only a mistake has to pay for. */
async function byAnswered(selector: string, runner: ThreadReader): Promise<SelectedThread> {
  for (const { threadId } of await allThreads(runner)) {
    const view = await runner.get(threadId)
    if (view.answered.some((answered) => answered.id === selector)) {
      return { view, interruptId: selector, exact: true }
    }
  }
  throw new HexagonError('E1301', `No thread has a question "${selector}"`, {
    hint: 'What is open: hexagon pending --json',
    details: { interruptId: selector },
  })
}

function isPrefix(selector: string, id: string): boolean {
  return selector.length >= SHORTEST_PREFIX && id.startsWith(selector)
}

/** The error for a command that was not told which thread. */
export function needsThread(command: string): HexagonError {
  return new HexagonError('E1004', `Which thread? Usage: hexagon ${command} <thread>`, {
    hint: 'What is waiting: hexagon pending. All threads: hexagon threads',
  })
}
