// The one way a prompt is opened. By themselves the prompts of the package answer themselves from
// stale keys, hang on Ctrl+D, ignore Esc, die after Ctrl+Z and share keys when two are open.
//
// Invariants:
//   1. One prompt at a time, in the order they were asked for.
//   2. Whatever way it ends, a prompt ends with a typed outcome, a visible cursor and the listeners
//      that were there before.
//   3. Once the person left, nothing opens any more.
//   4. Keys typed before the prompt stands answer nothing; nor do those meant for a prompt that was taken away.

import { hasLeft, type Asked, type Left } from '../terminal/asked.ts'
import type { Console } from '../terminal/console.ts'
import { drain, type Stale } from '../terminal/drain.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import type { Control } from '../terminal/prompter.ts'
import { elsewhere, ExitRequest, watchExits, watchKeys, type Exit } from './exits.ts'
import { Frame } from './frame.ts'

/** What a prompt of the package is given besides its question. */
export interface PromptContext {
  readonly input: Keyboard
  readonly output: NodeJS.WritableStream
  readonly signal: AbortSignal
  readonly clearPromptOnDone: true
}

/** One prompt to open. */
export interface AskRequest<T> {
  readonly control: Control
  readonly above: readonly string[]
  /**
   * Gives the function that opens the prompt. Whatever takes time happens here: between the draining
   * and the opening there must be no moment in which a key is kept for the prompt.
   */
  prepare(): Promise<(context: PromptContext) => Promise<T>>
  /** True when something was typed that leaving would lose. */
  typed?(): boolean
  /** No cursor movement: the prompt is a line like any other. */
  readonly plain?: boolean
}

/** What the prompts of a terminal know of each other. */
export interface Session {
  /** How the person left, if so. */
  left: Left | undefined
  /** True when the last prompt was closed under the hands of whoever was typing. */
  takenAway: boolean
}

const SHOW_CURSOR = '\u001b[?25h'

/** Opens a prompt when its turn comes, and gives what came of it. */
export function ask<T>(
  console: Console,
  session: Session,
  request: AskRequest<T>,
): Promise<Asked<T>> {
  return console.exclusive(async () => {
    const { signal } = request.control
    if (session.left !== undefined) return session.left
    if (signal?.aborted === true) return elsewhere(signal)
    const asked = await askNow(console, request, session.takenAway ? 'astray' : 'ahead')
    session.takenAway = asked.kind === 'elsewhere'
    if (hasLeft(asked) && !mayStay(asked, request.control)) session.left = asked
    return asked
  })
}

function mayStay(left: Left, control: Control): boolean {
  const isChoice = left.kind === 'deferred' && left.via !== 'eof' && left.via !== 'timeout'
  return control.stay === true && isChoice
}

async function askNow<T>(
  console: Console,
  request: AskRequest<T>,
  stale: Stale,
): Promise<Asked<T>> {
  const { input, output, logs } = console
  const closing = new AbortController()
  const screen = request.plain === true ? undefined : new Frame(output)
  let exit: Exit | undefined
  let keyboard: Keyboard | undefined
  const leave = (first: Exit): void => {
    if (exit !== undefined) return
    exit = withTyped(first, request)
    closing.abort()
  }
  const resumed = (): void => {
    setImmediate(() => {
      if (screen !== undefined) input.setRawMode(true)
      input.resume()
      keyboard?.resume()
      screen?.redraw(request.above)
    })
  }
  logs.hold()
  const unwatch = watchExits({ input, control: request.control, leave, resumed })
  try {
    const open = await request.prepare()
    const drained = await drain(input, stale)
    if (drained.interrupted) leave({ kind: 'interrupted' })
    if (exit !== undefined) return exit
    for (const line of request.above) output.write(`${line}\n`)
    keyboard = new Keyboard(input)
    watchKeys(keyboard, { output, control: request.control, leave })
    const context = { input: keyboard, output: screen ?? output, signal: closing.signal }
    return { kind: 'answer', value: await open({ ...context, clearPromptOnDone: true }) }
  } catch (error) {
    return exit ?? exitOf(error)
  } finally {
    keyboard?.close()
    unwatch()
    if (screen !== undefined) output.write(SHOW_CURSOR)
    logs.release()
  }
}

function withTyped<T>(exit: Exit, request: AskRequest<T>): Exit {
  return exit.kind === 'deferred' && request.typed?.() === true ? { ...exit, typed: true } : exit
}

/** Ctrl+C reaches the prompt's own readline first, and comes as an error of that name. */
function exitOf(error: unknown): Exit {
  if (error instanceof ExitRequest) return error.exit
  if (error instanceof Error && error.name === 'ExitPromptError') return { kind: 'interrupted' }
  throw error
}
