import { runCommand } from './command-run.ts'
import { execute as pending } from './commands/pending.ts'
import { exitCode, type ExitCode } from './exit-code.ts'
import type { FailureContext } from './failure.ts'
import type { Execute } from './invocation.ts'
import { OptionValues } from './option-values.ts'
import { overview } from './overview.ts'
import type { Parsed } from './parse.ts'
import { readPlainLine } from './plain-line.ts'
import { guessFormat, readSettings, type Settings } from './settings.ts'
import { commands } from './spec/catalog.ts'
import { terminalOf } from './terminal-of.ts'
import { hexagonVersion } from './version.ts'
import type { World } from './world.ts'

const SHOWING: ReadonlySet<string> = new Set(['show', 'threads', 'wait', 'history'])

/** Does what the words after `hexagon` say, and gives the exit code. Throws nothing. */
export async function answerTo(argv: readonly string[], world: World): Promise<ExitCode> {
  let parsed: Parsed
  let settings: Settings
  try {
    parsed = readPlainLine(argv) ?? (await parse(argv))
    settings = readSettings(parsed.options, world.env)
  } catch (error) {
    const env = { ...world.env, HEXAGON_OUTPUT: '', HEXAGON_REPLAY: '' }
    const usual = readSettings(new OptionValues({}), env)
    const guessed = { ...usual, output: guessFormat(argv, world.env) }
    return fail(error, { settings: guessed, world, command: commandIn(argv) })
  }
  if (parsed.kind === 'command') {
    const { spec, args, options } = parsed
    const call = { command: spec.name, args, options, load: () => executeOf(spec.name) }
    return runCommand(call, settings, world)
  }
  try {
    return await inform(parsed, settings, world)
  } catch (error) {
    return fail(error, { settings, world, command: 'help' })
  }
}

async function parse(argv: readonly string[]): Promise<Parsed> {
  const { parseCommandLine } = await import('./parse.ts')
  return parseCommandLine(argv)
}

/**
 * What shows whole threads comes only with the commands that show them, engine and loader with those that
 * need them. The list of what waits is read most often: it needs nothing else.
 */
async function executeOf(command: string): Promise<Execute> {
  if (command === 'pending') return pending
  const execute = SHOWING.has(command)
    ? (await import('./thread-commands.ts')).threadCommands[command]
    : (await import('./flow-commands.ts')).flowCommands[command]
  if (execute === undefined) throw new Error(`unreachable: nothing runs "${command}"`)
  return execute
}

/** What shows errors comes with the first one. */
async function fail(error: unknown, context: FailureContext): Promise<ExitCode> {
  const { reportFailure } = await import('./failure.ts')
  return reportFailure(error, context)
}

/** The command of words that could not be read. */
function commandIn(argv: readonly string[]): string | undefined {
  return argv.find((word) => commands.some(({ name }) => name === word))
}

/** Help, version and the overview. */
async function inform(
  parsed: Exclude<Parsed, { kind: 'command' }>,
  settings: Settings,
  world: World,
): Promise<ExitCode> {
  if (parsed.kind === 'version') return print(`${hexagonVersion()}\n`, settings, world)
  if (parsed.kind === 'overview') {
    return print(await overview(settings, hexagonVersion()), settings, world)
  }
  const { helpText } = await import('./help/help.ts')
  return print(helpText(parsed.topic, hexagonVersion()), settings, world)
}

/** Text on stdout, through the pager when it is longer than the screen. */
async function print(text: string, settings: Settings, world: World): Promise<ExitCode> {
  const { isTTY, rows } = world.stdout
  if (isTTY && text.split('\n').length > rows) {
    const terminal = await terminalOf(settings, world)
    await terminal.page(text)
    terminal.close()
  } else {
    world.stdout.write(text)
  }
  return exitCode.ok
}
