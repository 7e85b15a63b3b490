import { isCi, isOn, type Environment } from './environment.ts'

/** Why nobody can be asked. */
export type WhyNot = 'no-input' | 'environment' | 'stdin' | 'stderr' | 'ci' | 'no-terminal'

/** What decides whether a person can be asked. */
export interface Circumstances {
  readonly stdinIsTTY: boolean
  readonly stderrIsTTY: boolean
  readonly env: Environment
  /** `--no-input`. */
  readonly noInput?: boolean | undefined
  /** `--interactive`: ask although CI is set or standard input carries data. */
  readonly interactive?: boolean | undefined
  /** True when the process has a controlling terminal that opens. */
  hasTerminal(): boolean
}

/** Where answers are typed, or why there is nobody to type them. */
export type Interactivity =
  | { readonly kind: 'interactive'; readonly input: 'stdin' | 'terminal' }
  | { readonly kind: 'silent'; readonly why: WhyNot }

/** Whether a person can be asked, and where that person types. */
export function interactivityOf(given: Circumstances): Interactivity {
  if (given.noInput === true) return { kind: 'silent', why: 'no-input' }
  if (isOn(given.env['HEXAGON_NO_INPUT'])) return { kind: 'silent', why: 'environment' }
  if (!given.stderrIsTTY) return { kind: 'silent', why: 'stderr' }
  const insists = given.interactive === true
  if (isCi(given.env) && !insists) return { kind: 'silent', why: 'ci' }
  if (given.stdinIsTTY) return { kind: 'interactive', input: 'stdin' }
  if (!insists) return { kind: 'silent', why: 'stdin' }
  return given.hasTerminal()
    ? { kind: 'interactive', input: 'terminal' }
    : { kind: 'silent', why: 'no-terminal' }
}

const TEXT: Readonly<Record<WhyNot, string>> = {
  'no-input': '--no-input is given',
  environment: 'HEXAGON_NO_INPUT is set',
  stdin: 'stdin is not a terminal',
  stderr: 'stderr is not a terminal',
  ci: 'CI is set (--interactive asks all the same)',
  'no-terminal': 'there is no terminal to ask at',
}

/** The reason as a sentence without its full stop. */
export function describeWhyNot(why: WhyNot): string {
  return TEXT[why]
}
