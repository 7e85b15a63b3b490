import { exitCode, type ExitCode } from './exit-code.ts'
import { OptionValues } from './option-values.ts'
import { parseCommandLine, type Parsed } from './parse.ts'
import { guessFormat, readSettings, type Settings } from './settings.ts'
import { commands } from './spec/catalog.ts'
import { hexagonVersion } from './version.ts'
import type { World } from './world.ts'

// Only what every command line needs is imported here; the rest is loaded when it is used.

/** Does what the words after `hexagon` say, and gives the exit code. Throws nothing. */
export async function answerTo(argv: readonly string[], world: World): Promise<ExitCode> {
  let parsed: Parsed
  let settings: Settings
  try {
    parsed = parseCommandLine(argv)
    settings = readSettings(parsed.options, world.env)
  } catch (error) {
    const output = guessFormat(argv, world.env)
    return failed(error, { ...defaultSettings(world), output }, { world, command: commandIn(argv) })
  }
  if (parsed.kind === 'command') {
    const { runCommand } = await import('./command-run.ts')
    return runCommand(parsed, settings, world)
  }
  try {
    return await inform(parsed, settings, world)
  } catch (error) {
    return failed(error, settings, { world, command: 'help' })
  }
}

/** The command of words that could not be read. */
function commandIn(argv: readonly string[]): string | undefined {
  return argv.find((word) => commands.some(({ name }) => name === word))
}

function defaultSettings({ env }: World): Settings {
  return readSettings(new OptionValues({}), { ...env, HEXAGON_OUTPUT: '' })
}

async function failed(
  error: unknown,
  settings: Settings,
  where: { readonly world: World; readonly command: string | undefined },
): Promise<ExitCode> {
  const { reportFailure } = await import('./failure.ts')
  return reportFailure(error, { settings, ...where })
}

/** Help, version and the overview: no terminal, no store unless there is one. */
async function inform(
  parsed: Exclude<Parsed, { kind: 'command' }>,
  settings: Settings,
  world: World,
): Promise<ExitCode> {
  if (parsed.kind === 'version') {
    world.stdout.write(`${hexagonVersion()}\n`)
    return exitCode.ok
  }
  if (parsed.kind === 'help') {
    const { helpText } = await import('./help/help.ts')
    return print(helpText(parsed.topic, hexagonVersion()), settings, world)
  }
  const { overview } = await import('./overview.ts')
  return print(await overview(settings, hexagonVersion()), settings, world)
}

/** Text on stdout, through the pager when it is longer than the screen. */
async function print(text: string, settings: Settings, world: World): Promise<ExitCode> {
  const { isTTY, rows } = world.stdout
  if (isTTY && text.split('\n').length > rows) {
    const terminal = await world.createTerminal(settings)
    await terminal.page(text)
    terminal.close()
  } else {
    world.stdout.write(text)
  }
  return exitCode.ok
}
