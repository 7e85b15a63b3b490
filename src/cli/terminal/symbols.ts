import type { Environment } from './environment.ts'

/** The signs of the output. Colour never carries meaning alone, these do. */
export interface Symbols {
  readonly kind: 'unicode' | 'ascii'
  readonly ok: string
  readonly fail: string
  readonly ask: string
  readonly go: string
  readonly pause: string
  readonly clock: string
  readonly warn: string
  readonly retry: string
  readonly dot: string
  readonly bar: string
  readonly more: string
  readonly pointer: string
  readonly checked: string
  readonly unchecked: string
  readonly arrows: string
  readonly enter: string
  readonly mask: string
  readonly spinner: readonly string[]
}

const unicode: Symbols = {
  kind: 'unicode',
  ok: '✔',
  fail: '✖',
  ask: '◆',
  go: '▶',
  pause: '⏸',
  clock: '⏱',
  warn: '⚠',
  retry: '↻',
  dot: '·',
  bar: '│',
  more: '…',
  pointer: '❯',
  checked: '◉',
  unchecked: '◯',
  arrows: '↑↓',
  enter: '⏎',
  mask: '•',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
}

const ascii: Symbols = {
  kind: 'ascii',
  ok: 'ok',
  fail: 'x',
  ask: '?',
  go: '>',
  pause: '||',
  clock: '!',
  warn: '!',
  retry: '~',
  dot: '-',
  bar: '|',
  more: '...',
  pointer: '>',
  checked: '[x]',
  unchecked: '[ ]',
  arrows: 'up/down',
  enter: 'enter',
  mask: '*',
  spinner: ['-', '\\', '|', '/'],
}

/** The signs by their name. */
export const symbolSets: { readonly unicode: Symbols; readonly ascii: Symbols } = { unicode, ascii }

/** ASCII where the terminal is known not to show more: the console, `dumb`, a locale that is not UTF-8. */
export function symbolsFor(env: Environment): Symbols {
  const term = env['TERM']
  if (term === 'linux' || term === 'dumb') return ascii
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  )
  return locale === undefined || /utf-?8/iu.test(locale) ? unicode : ascii
}
