import { Command, Option, type CommanderError } from 'commander'

import { HexagonError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { parseDuration } from './duration.ts'
import { OptionValues } from './option-values.ts'
import { commands } from './spec/catalog.ts'
import type { CommandSpec, OptionSpec } from './spec/command-spec.ts'
import { globalOptions } from './spec/option-groups.ts'

/** What a command line asks for. */
export type Parsed =
  | {
      readonly kind: 'command'
      readonly spec: CommandSpec
      readonly args: readonly string[]
      readonly options: OptionValues
    }
  | { readonly kind: 'help'; readonly topic: string | undefined; readonly options: OptionValues }
  | { readonly kind: 'overview'; readonly options: OptionValues }
  | { readonly kind: 'version'; readonly options: OptionValues }

/** Reads the words after `hexagon`. @throws HexagonError E1001 to E1015 */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const found: { parsed?: Parsed } = {}
  const root = createRoot(found)
  // Only what may be meant: building every command takes longer than reading the line.
  const meant = commands.filter(({ name, alias = name }) =>
    argv.some((word) => word === name || word === alias),
  )
  for (const spec of meant) root.addCommand(createCommand(spec, root, found))
  root.parse([...argv], { from: 'user' })
  return found.parsed ?? { kind: 'overview', options: valuesOf(root) }
}

function createRoot(found: { parsed?: Parsed }): Command {
  const root = quiet(new Command('hexagon'), 'hexagon')
  // Options after a command belong to it: `--data -q` is a value, not a flag of ours.
  root.enablePositionalOptions()
  addOptions(root, globalOptions)
  addHelp(root)
  root.addOption(new Option('-V, --version'))
  root.argument('[words...]')
  root.action((words: string[]) => {
    found.parsed = parsedRoot(root, words)
  })
  root.command('help [topic]', { hidden: true }).action((topic?: string) => {
    found.parsed = { kind: 'help', topic, options: valuesOf(root) }
  })
  return root
}

function parsedRoot(root: Command, words: readonly string[]): Parsed {
  const [unknown] = words
  if (unknown !== undefined) throw unknownCommand(unknown)
  const options = valuesOf(root)
  if (options.flag('version')) return { kind: 'version', options }
  if (options.flag('help')) return { kind: 'help', topic: undefined, options }
  return { kind: 'overview', options }
}

function createCommand(spec: CommandSpec, root: Command, found: { parsed?: Parsed }): Command {
  const command = quiet(new Command(spec.name), spec.name)
  if (spec.alias !== undefined) command.alias(spec.alias)
  if (spec.argument !== undefined) command.argument('[words...]')
  addOptions(command, [...spec.groups.flatMap((group) => group.options), ...globalOptions])
  addHelp(command)
  command.action(() => {
    const options = valuesOf(root, command)
    if (options.flag('help')) {
      found.parsed = { kind: 'help', topic: spec.name, options }
      return
    }
    const args = command.args
    assertArguments(spec, args)
    found.parsed = { kind: 'command', spec, args, options }
  })
  return command
}

/** Nothing is printed and nothing ends the process: errors come out as ours. */
function quiet(command: Command, name: string): Command {
  return command
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .exitOverride((error) => {
      throw usageError(error, name)
    })
}

function addHelp(command: Command): void {
  command.addOption(new Option('-h, --help'))
}

function addOptions(command: Command, specs: readonly OptionSpec[]): void {
  for (const spec of specs) command.addOption(createOption(spec))
}

function createOption({ flags, kind }: OptionSpec): Option {
  const option = new Option(flags)
  const name = option.long ?? flags
  switch (kind) {
    case 'flag':
      return option
    case 'count':
      // A flag has no text to parse, so a preset stands for it.
      return option.preset('').argParser((_text: string, previous?: number) => (previous ?? 0) + 1)
    case 'list':
      return option.argParser((text: string, previous?: string[]) => [...(previous ?? []), text])
    case 'text':
      return option.argParser((text: string, previous?: unknown) => once(name, previous, text))
    case 'duration':
      return option.argParser((text: string, previous?: unknown) =>
        once(name, previous, parseDuration(text)),
      )
    case 'integer':
      return option.argParser((text: string, previous?: unknown) =>
        once(name, previous, wholeNumber(name, text)),
      )
    default:
      return option.argParser((text: string, previous?: unknown) =>
        once(name, previous, oneOf(name, text, kind.oneOf)),
      )
  }
}

function once<T>(name: string, previous: unknown, value: T): T {
  if (previous === undefined) return value
  throw new HexagonError('E1006', `${name} is given twice`, { hint: 'Leave one of them out.' })
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value
  throw new HexagonError('E1015', `${name} needs a whole number, got "${text}"`, {
    hint: `For example: ${name} 100`,
    details: { value: text },
  })
}

function oneOf(name: string, text: string, words: readonly string[]): string {
  if (words.includes(text)) return text
  const near = nearest(text, words)
  throw new HexagonError('E1010', `${name} must be one of ${words.join(', ')}, got "${text}"`, {
    hint: near === undefined ? `For example: ${name} ${words[0] ?? ''}` : `Did you mean "${near}"?`,
    details: { value: text, known: words },
  })
}

/** Options before the command count too; after it they win. */
function valuesOf(root: Command, command?: Command): OptionValues {
  return new OptionValues({ ...givenBy(root), ...(command === undefined ? {} : givenBy(command)) })
}

function givenBy(command: Command): Record<string, unknown> {
  const given = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === 'cli',
  )
  return Object.fromEntries(given)
}

function assertArguments(spec: CommandSpec, args: readonly string[]): void {
  if (spec.argument?.many === true || args.length <= 1) return
  throw new HexagonError(
    'E1005',
    `${spec.name} takes one ${spec.argument?.name ?? 'argument'}, got ${args.length}`,
    { hint: `hexagon ${spec.name} --help`, details: { args } },
  )
}

function unknownCommand(word: string): HexagonError {
  const names = [
    ...commands.flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias])]),
    'help',
  ]
  const near = nearest(word, names)
  const isFile = /[/.]/u.test(word)
  const elsewise = isFile ? `To start a flow: hexagon run ${word}` : 'All commands: hexagon --help'
  return new HexagonError('E1001', `Unknown command "${word}"`, {
    hint: near === undefined ? elsewise : `Did you mean "${near}"?`,
    details: { command: word, ...(near === undefined ? {} : { near }) },
  })
}

/** Commander's errors as ours; it names the option in quotes. */
function usageError(error: CommanderError, command: string): HexagonError {
  const [, named = ''] = /'([^']*)'/u.exec(error.message) ?? []
  switch (error.code) {
    case 'commander.unknownOption':
      return unknownOption(named, command)
    case 'commander.optionMissingArgument':
      return missingValue(named)
    case 'commander.unknownCommand':
      return unknownCommand(named)
    default:
      return new HexagonError('E1005', error.message.replace(/^error: /u, ''), {
        hint: `hexagon ${command} --help`,
        cause: error,
      })
  }
}

function unknownOption(flag: string, command: string): HexagonError {
  const spec = commands.find(({ name }) => name === command)
  const own = spec?.groups.flatMap((group) => group.options) ?? []
  const flags = [...own, ...globalOptions].flatMap(
    ({ flags: text }) => text.match(/--[\w-]+/gu) ?? [],
  )
  const near = nearest(flag, [...flags, '--help'])
  const all = command === 'hexagon' ? 'hexagon --help' : `hexagon ${command} --help`
  return new HexagonError('E1002', `Unknown option ${flag} for ${command}`, {
    hint: near === undefined ? `All options: ${all}` : `Did you mean ${near}?`,
    details: { option: flag, ...(near === undefined ? {} : { near }) },
  })
}

function missingValue(flags: string): HexagonError {
  const name = /--[\w-]+/u.exec(flags)?.[0] ?? flags
  const forms = name === '--data' ? ': JSON, text, key=value, @file or -' : ''
  return new HexagonError('E1007', `${name} needs a value${forms}`, {
    hint: name === '--data' ? 'hexagon help data' : `Write ${flags}`,
    details: { option: name },
  })
}
