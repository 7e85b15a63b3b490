import { emitKeypressEvents } from 'node:readline'

import { isHexagonError } from '../../core/errors.ts'
import type { Back, Elsewhere, Left } from '../terminal/asked.ts'
import type { Keyboard } from '../terminal/keyboard.ts'
import type { Control } from '../terminal/prompter.ts'

/** A way out of a prompt that is not an answer. */
export type Exit = Left | Elsewhere | Back

/** What can end a prompt and where it is heard from. */
export interface Watched {
  readonly input: NodeJS.ReadStream
  readonly control: Control
  /** Called with the first way out, and with every later one. */
  readonly leave: (exit: Exit) => void
  /** The process was stopped and goes on: the screen has to be drawn again. */
  readonly resumed: () => void
}

interface Key {
  readonly name?: string
  readonly ctrl?: boolean
}

type Undo = () => void

/** The code of an abort because the run itself was told to stop. */
const STOPPED = 'E2106'
/** The code of an abort because the question's time is up. */
const EXPIRED = 'E1408'
const ESCAPE_MS = 50
const SHOW_CURSOR = '\u001b[?25h'

/** Listens for every way out; the returned function leaves no listener behind. */
export function watchExits(watched: Watched): Undo {
  const undo = [watchEnd(watched), watchSignals(watched), watchTime(watched), watchAbort(watched)]
  return () => {
    for (const off of undo) off()
  }
}

/** Listens for the keys that leave, before the prompt itself listens. */
export function watchKeys(
  keyboard: Keyboard,
  { output, control, leave }: Pick<Watched, 'control' | 'leave'> & { output: NodeJS.WriteStream },
): void {
  // A lone Esc is waited for this long; the usual half second feels broken.
  emitKeypressEvents(keyboard, { escapeCodeTimeout: ESCAPE_MS } as never)
  keyboard.on('keypress', (_: unknown, key: Key | undefined) => {
    if (key?.name === 'escape') leave({ kind: 'deferred', via: 'esc' })
    if (key?.ctrl !== true) return
    if (key.name === 'd') leave({ kind: 'deferred', via: 'ctrl-d' })
    if (key.name === 'c') leave({ kind: 'interrupted' })
    if (key.name === 'b' && control.back === true) leave({ kind: 'back' })
    // The shell that gets the terminal now expects a cursor.
    if (key.name === 'z') output.write(SHOW_CURSOR)
  })
}

function watchEnd({ input, leave }: Watched): Undo {
  const onEnd = (): void => leave({ kind: 'deferred', via: 'eof' })
  // A terminal that was closed is read with EIO, not with an end.
  input.on('end', onEnd).on('error', onEnd)
  return () => input.off('end', onEnd).off('error', onEnd)
}

function watchSignals({ leave, resumed }: Watched): Undo {
  const onInt = (): void => leave({ kind: 'interrupted' })
  const onTerm = (): void => leave({ kind: 'stopped', signal: 'SIGTERM' })
  const onHup = (): void => leave({ kind: 'stopped', signal: 'SIGHUP' })
  // First in line: whoever stops the run on the same signal closes this prompt for that reason.
  process.prependListener('SIGINT', onInt).prependListener('SIGTERM', onTerm)
  process.prependListener('SIGHUP', onHup).on('SIGCONT', resumed)
  return () => {
    process.off('SIGINT', onInt).off('SIGTERM', onTerm)
    process.off('SIGHUP', onHup).off('SIGCONT', resumed)
  }
}

function watchTime({ control, leave }: Watched): Undo {
  if (control.timeoutMs === undefined) return () => undefined
  const later = (): void => leave({ kind: 'deferred', via: 'timeout' })
  const timer = setTimeout(later, Math.max(0, control.timeoutMs))
  return () => clearTimeout(timer)
}

function watchAbort({ control, leave }: Watched): Undo {
  const { signal } = control
  if (signal === undefined) return () => undefined
  const onAbort = (): void => leave(elsewhere(signal))
  signal.addEventListener('abort', onAbort, { once: true })
  return () => signal.removeEventListener('abort', onAbort)
}

/** What an aborted signal says. */
export function elsewhere(signal: AbortSignal): Elsewhere {
  const reason: unknown = signal.reason
  if (isHexagonError(reason) && reason.code === STOPPED) return { kind: 'elsewhere', stopped: true }
  if (isHexagonError(reason) && reason.code === EXPIRED)
    return { kind: 'elsewhere', reason: 'its time is up' }
  const isPlainAbort = reason instanceof Error && reason.name === 'AbortError'
  if (reason instanceof Error && !isPlainAbort) {
    return { kind: 'elsewhere', reason: reason.message }
  }
  return typeof reason === 'string' ? { kind: 'elsewhere', reason } : { kind: 'elsewhere' }
}

/** Thrown by a prompt that read the wish to leave as text. */
export class ExitRequest extends Error {
  readonly exit: Exit

  constructor(exit: Exit) {
    super(exit.kind)
    this.exit = exit
  }
}
