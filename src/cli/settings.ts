import { HexagonError } from '../core/errors.ts'
import type { OptionValues } from './option-values.ts'
import type { ColorChoice } from './terminal/color.ts'
import { isOn, type Environment } from './terminal/environment.ts'
import { parsePath } from './value-path.ts'

/** How the result is written. */
export type OutputFormat = 'human' | 'json' | 'jsonl'

/** What flags and environment together say, for every command. */
export interface Settings {
  readonly cwd: string | undefined
  readonly output: OutputFormat
  /** One value of the JSON document instead of the whole. */
  readonly get: readonly (string | number)[] | undefined
  readonly quiet: boolean
  readonly verbosity: 0 | 1 | 2
  readonly noInput: boolean
  readonly interactive: boolean
  readonly plain: boolean
  readonly color: ColorChoice
  readonly noPager: boolean
  readonly config: string | undefined
  /** `file:DIR` or `sqlite:FILE`, when it isn't the project's own. */
  readonly store: string | undefined
  /** Keys that threads are encrypted with; never shown. */
  readonly key: string | undefined
  /** The file that has them. */
  readonly keyFile: string | undefined
  /** How tasks go on after an answer; `always` enters them again from their top. */
  readonly replay: 'always' | 'needed'
  /** True where nobody reads hints on what to type next. */
  readonly inAutomation: boolean
  /** True where the CI service's outputs, summary and annotations are written. */
  readonly annotations: boolean
}

/** Flags win over the environment. @throws HexagonError E1008, E1010, E1011, E1013 */
export function readSettings(options: OptionValues, env: Environment): Settings {
  const noInput = options.off('input')
  const interactive = options.flag('interactive')
  if (noInput && interactive) {
    throw new HexagonError('E1011', '--interactive and --no-input exclude each other', {
      hint: 'Leave one of them out.',
    })
  }
  const get = options.text('get')
  return {
    cwd: options.text('cwd') ?? given(env['HEXAGON_CWD']),
    output: outputFormat(options, env),
    get: get === undefined ? undefined : parsePath(get),
    quiet: options.flag('quiet'),
    verbosity: verbosity(options, env),
    noInput,
    interactive,
    plain: options.flag('plain') || isOn(env['HEXAGON_PLAIN']),
    color: colorChoice(options),
    noPager: options.off('pager'),
    config: options.text('config') ?? given(env['HEXAGON_CONFIG']),
    store: options.text('store') ?? given(env['HEXAGON_STORE']),
    key: given(env['HEXAGON_KEY']),
    keyFile: given(env['HEXAGON_KEY_FILE']),
    replay: replayMode(given(env['HEXAGON_REPLAY'])),
    inAutomation: isOn(env['HEXAGON_IN_AUTOMATION']) || isOn(env['CI']),
    annotations: env['GITHUB_ACTIONS'] === 'true' && !options.off('annotations'),
  }
}

/** The format that a whole command line asks for, before it is parsed: what errors in it are written as. */
export function guessFormat(argv: readonly string[], env: Environment): OutputFormat {
  const named = argv.findLastIndex((word) => word === '-o' || word === '--output')
  const text =
    argv.findLast((word) => word.startsWith('--output='))?.slice('--output='.length) ??
    (named >= 0 ? argv[named + 1] : undefined)
  if (argv.includes('--json')) return 'json'
  return asFormat(text) ?? asFormat(env['HEXAGON_OUTPUT']) ?? 'human'
}

function outputFormat(options: OptionValues, env: Environment): OutputFormat {
  const text = options.text('output')
  const format = asFormat(text)
  if (text !== undefined && format === undefined) throw unknownFormat(text)
  if (options.flag('json')) {
    if (format !== undefined && format !== 'json') {
      throw new HexagonError('E1006', `--json and --output ${format} exclude each other`, {
        hint: 'Leave one of them out.',
      })
    }
    return 'json'
  }
  if (format !== undefined) return format
  if (options.text('get') !== undefined) return 'json'
  const fromEnv = given(env['HEXAGON_OUTPUT'])
  if (fromEnv === undefined) return 'human'
  const known = asFormat(fromEnv)
  if (known === undefined) throw unknownFormat(fromEnv)
  return known
}

function unknownFormat(text: string): HexagonError {
  return new HexagonError('E1008', `Unknown output format "${text}"`, {
    hint: 'One of: human, json, jsonl',
    details: { value: text },
  })
}

function asFormat(text: string | undefined): OutputFormat | undefined {
  return text === 'human' || text === 'json' || text === 'jsonl' ? text : undefined
}

function verbosity(options: OptionValues, env: Environment): Settings['verbosity'] {
  if (isOn(env['HEXAGON_DEBUG'])) return 2
  const times = options.number('verbose') ?? 0
  if (times >= 2) return 2
  return times === 1 ? 1 : 0
}

function colorChoice(options: OptionValues): ColorChoice {
  if (options.off('color')) return 'never'
  const choice = options.text('color')
  return choice === 'always' || choice === 'never' ? choice : 'auto'
}

/** A mistyped word must not pass for a test that found nothing. */
function replayMode(text = 'needed'): Settings['replay'] {
  if (text === 'always' || text === 'needed') return text
  throw new HexagonError('E1010', `HEXAGON_REPLAY must be one of always, needed, got "${text}"`, {
    hint: 'For example: HEXAGON_REPLAY=always',
    details: { value: text, known: ['always', 'needed'] },
  })
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
