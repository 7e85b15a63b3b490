import { runCommand } from './command-run.ts'
import { exitCode, type ExitCode } from './exit-code.ts'
import { reportFailure } from './failure.ts'
import type { Execute } from './invocation.ts'
import { OptionValues } from './option-values.ts'
import { overview } from './overview.ts'
import type { Parsed } from './parse.ts'
import { readPlainLine } from './plain-line.ts'
import { guessFormat, readSettings, type Settings } from './settings.ts'
import { commands } from './spec/catalog.ts'
import { terminalOf } from './terminal-of.ts'
import { threadCommands } from './thread-commands.ts'
import { hexagonVersion } from './version.ts'
import type { World } from './world.ts'

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
    return reportFailure(error, { settings: guessed, world, command: commandIn(argv) })
  }
  if (parsed.kind === 'command') {
    const { spec, args, options } = parsed
    const call = { command: spec.name, args, options, load: () => executeOf(spec.name) }
    return runCommand(call, settings, world)
  }
  try {
    return await inform(parsed, settings, world)
  } catch (error) {
    return reportFailure(error, { settings, world, command: 'help' })
  }
}

async function parse(argv: readonly string[]): Promise<Parsed> {
  const { parseCommandLine } = await import('./parse.ts')
  return parseCommandLine(argv)
}

/** The engine and the loader come only with the commands that need them. */
async function executeOf(command: string): Promise<Execute> {
  const known = threadCommands[command]
  if (known !== undefined) return known
  const { flowCommands } = await import('./flow-commands.ts')
  const execute = flowCommands[command]
  if (execute === undefined) throw new Error(`unreachable: nothing runs "${command}"`)
  return execute
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
    const terminal = terminalOf(settings, world)
    await terminal.page(text)
    terminal.close()
  } else {
    world.stdout.write(text)
  }
  return exitCode.ok
}
