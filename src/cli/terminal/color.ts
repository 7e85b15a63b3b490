import type { Environment } from './environment.ts'

/** The `--color` option. */
export type ColorChoice = 'auto' | 'always' | 'never'

/** How many colours a stream shows: none, 16, 256, all. */
export type ColorLevel = 0 | 1 | 2 | 3

/** Colours by name; with level 0 every function gives its text back. */
export interface Paint {
  readonly level: ColorLevel
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  readonly magenta: (text: string) => string
}

/** The level of one stream. Flags win over NO_COLOR, that over FORCE_COLOR, those over the stream. */
export function colorLevel(isTTY: boolean, env: Environment, choice: ColorChoice): ColorLevel {
  if (choice !== 'auto') return choice === 'always' ? depth(env) : 0
  if (isSet(env['NO_COLOR'])) return 0
  if (isSet(env['FORCE_COLOR'])) return forced(env)
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return depth(env)
  if (env['TERM'] === 'dumb' || !isTTY) return 0
  return depth(env)
}

/** No colour at all. */
export const plainPaint: Paint = {
  level: 0,
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
  magenta: same,
}

/**
 * A painter of its own for each stream: chalk itself looks at the wrong one and ignores NO_COLOR. Without
 * colours it is not even loaded.
 */
export async function createPaint(level: ColorLevel): Promise<Paint> {
  if (level === 0) return plainPaint
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level })
  return {
    level,
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    red: (text) => chalk.red(text),
    green: (text) => chalk.green(text),
    yellow: (text) => chalk.yellow(text),
    cyan: (text) => chalk.cyan(text),
    magenta: (text) => chalk.magenta(text),
  }
}

function same(text: string): string {
  return text
}

function forced(env: Environment): ColorLevel {
  const value = env['FORCE_COLOR']
  if (value === '0' || value === 'false') return 0
  if (value === '1' || value === '2' || value === '3') return Number(value) as ColorLevel
  return depth(env)
}

function depth(env: Environment): ColorLevel {
  if (/truecolor|24bit/u.test(env['COLORTERM'] ?? '')) return 3
  return (env['TERM'] ?? '').includes('256') ? 2 : 1
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
