import { commandGroups } from '../spec/catalog.ts'
import type { CommandSpec, OptionSpec } from '../spec/command-spec.ts'
import { globalOptions } from '../spec/option-groups.ts'
import { topics } from './topics.ts'

const COLUMNS = 80
const INDENT = 2
const GAP = 2
const WIDEST_TERM = 30
const WIDEST_EXAMPLE = 44

/** The help of one command: examples first, then options in groups. */
export function commandHelp(spec: CommandSpec): string {
  const argument =
    spec.argument === undefined
      ? ''
      : ` <${spec.argument.name}${spec.argument.many === true ? '…' : ''}>`
  const alias = spec.alias === undefined ? [] : ['', `Alias: hexagon ${spec.alias}`]
  const exits = spec.exits.map(([code, text]) => `${code} ${text}`).join(', ')
  return lines([
    spec.summary,
    '',
    `Usage: hexagon ${spec.name}${argument} [options]`,
    ...alias,
    ...section('Examples', spec.examples, WIDEST_EXAMPLE),
    ...spec.groups.flatMap(({ heading, options }) => section(heading, options.map(term))),
    ...section('Global', globalOptions.map(term)),
    '',
    ...fill(`Exit codes: ${exits}   (hexagon help exit-codes)`, COLUMNS),
  ])
}

/** The help of `hexagon` itself: every command and topic. */
export function overviewHelp(version: string): string {
  return lines([
    `hexagon ${version}: run and resume agent graphs with a human in the loop`,
    '',
    'Usage: hexagon <command> [options]',
    ...section('Examples', [
      ['hexagon run flows/deploy.ts', 'start a flow'],
      ['hexagon pending', 'what waits for an answer'],
      ['hexagon resume 7f3k', 'answer and continue'],
    ]),
    ...commandGroups.flatMap(({ heading, commands }) =>
      section(
        heading,
        commands.map(({ name, alias, summary }) => [aliased(name, alias), summary]),
      ),
    ),
    ...section(
      'Topics',
      topics.map(({ name, summary }) => [`help ${name}`, summary]),
    ),
    ...section('Global', globalOptions.map(term)),
    ...section('', [
      ['-h, --help', 'help of a command'],
      ['-V, --version', 'print the version'],
    ]).slice(1),
  ])
}

function aliased(name: string, alias: string | undefined): string {
  return alias === undefined ? name : `${name}, ${alias}`
}

function term({ flags, text }: OptionSpec): readonly [string, string] {
  return [flags.startsWith('--') ? `    ${flags}` : flags, text]
}

type Rows = readonly (readonly [string, string])[]

/** Terms and texts in two columns; a long term has a line of its own. */
function section(heading: string, rows: Rows, widest = WIDEST_TERM): string[] {
  if (rows.length === 0) return []
  const widths = rows.map(([left]) => left.length).filter((width) => width <= widest)
  const width = Math.max(0, ...widths)
  return [
    '',
    ...(heading === '' ? [] : [`${heading}:`]),
    ...rows.flatMap((row) => columns(row, width)),
  ]
}

function columns([left, right]: readonly [string, string], width: number): string[] {
  const indent = ' '.repeat(INDENT)
  if (right === '') return [indent + left]
  const offset = INDENT + width + GAP
  const isLong = left.length > width
  const text = fill(right, COLUMNS - offset)
  const first = isLong ? [indent + left] : [indent + left.padEnd(width + GAP) + (text[0] ?? '')]
  return [...first, ...text.slice(isLong ? 0 : 1).map((line) => ' '.repeat(offset) + line)]
}

/** Words in lines of at most `width` characters; help has only narrow ones. */
function fill(text: string, width: number): string[] {
  const filled: string[] = []
  for (const word of text.split(' ')) {
    const last = filled.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      filled[filled.length - 1] = `${last} ${word}`
    else filled.push(word)
  }
  return filled
}

function lines(parts: readonly string[]): string {
  return `${parts.join('\n')}\n`
}
