import { drawnColumns, type Console } from '../terminal/console.ts'
import { safe } from '../terminal/safe.ts'
import { wrap } from '../terminal/wrap.ts'
import { wording } from './wording.ts'

type Keys = readonly (readonly [key: string, action: string])[]

const ERROR_LINES = 2

/** What the line of keys says besides the keys. */
export interface ThemeMarks {
  readonly back?: boolean | undefined
  /** Read at each drawing. */
  readonly note?: () => string | undefined
}

/** How prompts look: our own colours, because the package asks the wrong stream whether it has any. */
export function promptTheme({ paint, symbols, output }: Console, marks: ThemeMarks = {}): object {
  const columns = drawnColumns(output)
  return {
    prefix: { idle: paint.cyan('?'), done: paint.cyan('?'), loading: paint.cyan('?') },
    spinner: { interval: 100, frames: symbols.spinner.map((frame) => paint.cyan(frame)) },
    icon: {
      cursor: symbols.pointer,
      checked: paint.green(symbols.checked),
      unchecked: symbols.unchecked,
    },
    style: {
      message: paint.bold,
      answer: paint.cyan,
      error: (text: string) => paint.red(errorText(text, columns)),
      defaultAnswer: (text: string) => paint.dim(`(${text})`),
      help: paint.dim,
      highlight: paint.cyan,
      key: paint.cyan,
      description: (text: string) => paint.dim(wrap(text, columns - 2).join('\n')),
      disabled: paint.dim,
      searchTerm: paint.cyan,
      keysHelpTip: (keys: Keys) => paint.dim(helpText(keys, marks, { symbols, columns })),
    },
  }
}

function errorText(text: string, columns: number): string {
  const lines = wrap(`> ${safe(text)}`, columns - 1)
  return lines.slice(0, ERROR_LINES).join('\n')
}

function helpText(
  keys: Keys,
  { back, note }: ThemeMarks,
  { symbols, columns }: Pick<Console, 'symbols'> & { readonly columns: number },
): string {
  const named = keys.map(([key, action]) => `${nameOf(key, symbols)} ${action}`)
  const all = [...named, ...(back === true ? [wording.keys.back] : []), wording.keys.later]
  // Non-breaking spaces keep a key and what it does together when the line is wrapped.
  const line = all.map((text) => text.replaceAll(' ', '\u00a0')).join(` ${symbols.dot} `)
  const lines = wrap(line, columns - 1).map((text) => text.replaceAll('\u00a0', ' '))
  const noted = note?.()
  return [...(noted === undefined ? [] : [noted]), ...lines].join('\n')
}

function nameOf(key: string, symbols: Console['symbols']): string {
  if (key === '↑↓') return symbols.arrows
  return key === '⏎' ? symbols.enter : key
}
