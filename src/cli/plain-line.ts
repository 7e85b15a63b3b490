import { OptionValues } from './option-values.ts'
import type { Parsed } from './parse.ts'
import { commands } from './spec/catalog.ts'
import type { CommandSpec } from './spec/command-spec.ts'
import { globalOptions } from './spec/option-groups.ts'

// Most command lines need no parser: a command, its argument, and options by their long names. Reading
// those here saves loading commander, a tenth of what a short command costs. What is read here is read as the
// parser would; a test holds that for any words. All else, every mistake among it, is left to the parser.

/** Reads a command line that has only one meaning; undefined for one that takes the parser. */
export function readPlainLine([name = '', ...words]: readonly string[]): Parsed | undefined {
  const spec = commands.find((command) => command.name === name || command.alias === name)
  const read = spec && readWords(spec, words)
  if (spec === undefined || read === undefined || !mayHave(spec, read.args)) return undefined
  return { kind: 'command', spec, args: read.args, options: new OptionValues(read.values) }
}

interface Words {
  readonly args: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
}

function readWords(spec: CommandSpec, words: readonly string[]): Words | undefined {
  const args: string[] = []
  const values: Record<string, unknown> = {}
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (word.startsWith('-')) {
      const option = optionIn(spec, word)
      const next = option?.kind === 'flag' ? word : words[++index]
      const value = option && valueOf(option, next)
      if (value === undefined || option === undefined || option.key in values) return undefined
      values[option.key] = value
    } else {
      args.push(word)
    }
  }
  return { args, values }
}

function valueOf({ kind }: PlainOption, word: string | undefined): unknown {
  if (kind === 'flag') return word?.startsWith('--no-') === false
  if (word?.startsWith('-') !== false) return undefined
  return kind === 'list' ? [word] : word
}

interface PlainOption {
  readonly key: string
  readonly kind: 'flag' | 'text' | 'list'
}

/** An option by its long name, when the text after it needs no check. */
function optionIn({ groups }: CommandSpec, word: string): PlainOption | undefined {
  const options = [...groups.flatMap((group) => group.options), ...globalOptions]
  const kind = options.find(({ flags }) => longName(flags) === word)?.kind
  if (kind !== 'flag' && kind !== 'text' && kind !== 'list') return undefined
  return { key: keyOf(word), kind }
}

/** `--data` of `-d, --data <value>`. */
function longName(flags: string): string | undefined {
  return flags.split(/,? /u).find((part) => part.startsWith('--'))
}

/** `dataRaw` of `--data-raw`, `input` of `--no-input`. */
function keyOf(word: string): string {
  return word
    .replace(/^--(?:no-)?/u, '')
    .replaceAll(/-(\w)/gu, (_hyphen, letter: string) => letter.toUpperCase())
}

function mayHave({ argument }: CommandSpec, args: readonly string[]): boolean {
  if (argument === undefined) return args.length === 0
  return argument.many === true || args.length <= 1
}
