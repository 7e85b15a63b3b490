import type { Config } from '../../config.ts'
import { HexagonError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { parseDuration } from '../duration.ts'
import { quote } from '../value/quote.ts'

/** Says what a value must be, when it is not; undefined when it is fine. */
type Test = (value: unknown) => string | undefined

const text: Test = (value) => (typeof value === 'string' && value !== '' ? undefined : 'a text')
const boolean: Test = (value) => (typeof value === 'boolean' ? undefined : 'true or false')
const duration: Test = (value) => {
  try {
    if (typeof value !== 'string') return 'a duration like 15m'
    parseDuration(value)
    return undefined
  } catch {
    return 'a duration like 15m'
  }
}
const positive: Test = (value) =>
  Number.isInteger(value) && Number(value) > 0 ? undefined : 'a whole number from 1'
const texts: Test = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? undefined
    : 'a list of texts'

function oneOf(...words: readonly unknown[]): Test {
  return (value) => (words.includes(value) ? undefined : `one of ${words.join(', ')}`)
}

const TESTS: Readonly<Record<string, Test>> = {
  flowsDir: text,
  storeDir: text,
  tsconfig: text,
  keyFile: text,
  'retention.done': duration,
  'retention.keep': positive,
  'prompt.approvalDefault': oneOf('defer', 'reject'),
  'prompt.timeout': duration,
  'prompt.onTimeout': oneOf('defer'),
  'prompt.editor': text,
  'prompt.maxChoices': positive,
  redact: texts,
  suspendExitCode: oneOf(0, 75),
  onFlowChange: oneOf('warn', 'allow', 'refuse'),
  ci: boolean,
}

/** The value as a configuration. @throws HexagonError E1116 naming the first setting that is wrong */
export function checkConfig(value: unknown, file: string): Config {
  assertConfig(value, file)
  return value
}

function assertConfig(value: unknown, file: string): asserts value is Config {
  if (!isRecord(value))
    throw badConfig(file, 'it must be an object', 'export default defineConfig({})')
  for (const [name, setting] of entriesOf(value)) assertSetting(file, name, setting)
}

function assertSetting(file: string, name: string, setting: unknown): void {
  const test = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined
  if (test === undefined) {
    const known = Object.keys(TESTS)
    const near = nearest(name, known)
    const hint = near === undefined ? `Settings: ${known.join(', ')}` : `Did you mean "${near}"?`
    throw badConfig(file, `"${name}" is not a setting`, hint)
  }
  const wanted = test(setting)
  if (wanted !== undefined) {
    throw badConfig(
      file,
      `${name} must be ${wanted}, got ${quote(setting)}`,
      `Correct it in ${file}.`,
    )
  }
}

/** Settings that are objects of settings. */
const GROUPS: ReadonlySet<string> = new Set(['prompt', 'retention'])

/** Settings by their full name: `prompt.timeout`. */
function entriesOf(value: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(value)
    .filter(([, setting]) => setting !== undefined)
    .flatMap(([name, setting]): [string, unknown][] =>
      GROUPS.has(name) && isRecord(setting)
        ? Object.entries(setting).map(([inner, item]): [string, unknown] => [
            `${name}.${inner}`,
            item,
          ])
        : [[name, setting]],
    )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function badConfig(file: string, problem: string, hint: string): HexagonError {
  return new HexagonError('E1116', `${file}: ${problem}`, { hint, details: { file } })
}
