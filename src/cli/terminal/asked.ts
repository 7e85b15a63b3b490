/** How a person put an answer off. */
export type DeferVia = 'esc' | 'ctrl-d' | 'eof' | 'choice' | 'timeout'

/** The signals that end a prompt from outside. */
export type StopSignal = 'SIGTERM' | 'SIGHUP'

/** How a person left without an answer; nothing is asked afterwards. */
export type Left =
  | { readonly kind: 'deferred'; readonly via: DeferVia; readonly typed?: boolean }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'stopped'; readonly signal: StopSignal }

/** The prompt was closed because the question is not open any more. */
export interface Elsewhere {
  readonly kind: 'elsewhere'
  /** What happened, when whoever closed it said so: `answered by ann`. */
  readonly reason?: string
  /** True when the run was told to stop, which whoever stopped it tells. */
  readonly stopped?: boolean
}

/** One step back in a form; only where the prompt allows it. */
export interface Back {
  readonly kind: 'back'
}

/** What came of one prompt. */
export type Asked<T> = { readonly kind: 'answer'; readonly value: T } | Left | Elsewhere | Back

/** True when the person left, so that nothing else is to be asked. */
export function hasLeft(asked: Asked<unknown>): asked is Left {
  return asked.kind === 'deferred' || asked.kind === 'interrupted' || asked.kind === 'stopped'
}
