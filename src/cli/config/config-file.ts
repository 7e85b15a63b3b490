import { existsSync, readFileSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'

import type { Config } from '../../config.ts'
import { HexagonError, messageOf } from '../../core/errors.ts'

/** Where a configuration is looked for. */
export interface ConfigRequest {
  readonly root: string
  /** `--config` or HEXAGON_CONFIG, relative to `cwd`. */
  readonly chosen?: string | undefined
  readonly cwd: string
}

/** Gives the default export of a module; only commands that run code have one. */
export type ImportDefault = (file: string) => Promise<unknown>

const CODE = ['.ts', '.mts', '.js', '.mjs'].map((extension) => `hexagon.config${extension}`)

/**
 * The project's configuration: the chosen file, `hexagon.config.json`, or "hexagon" in package.json.
 * Files with code are read only when `importDefault` is given; without it they count as absent.
 *
 * @throws HexagonError E1116
 */
export async function readConfig(
  request: ConfigRequest,
  importDefault?: ImportDefault,
): Promise<Config> {
  const { root, chosen, cwd } = request
  if (chosen !== undefined) return readFile(resolve(cwd, chosen), chosen, importDefault)
  const name = [...(importDefault === undefined ? [] : CODE), 'hexagon.config.json'].find((file) =>
    existsSync(join(root, file)),
  )
  return name === undefined ? fromManifest(root) : readFile(join(root, name), name, importDefault)
}

async function readFile(
  file: string,
  name: string,
  importDefault?: ImportDefault,
): Promise<Config> {
  if (extname(file) === '.json') return check(await readJson(file, name), name)
  if (importDefault === undefined) return {}
  if (!existsSync(file)) throw missing(name)
  return check(await importDefault(file), basename(name))
}

async function fromManifest(root: string): Promise<Config> {
  const file = join(root, 'package.json')
  if (!existsSync(file)) return {}
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // A package.json that npm has to complain about is no configuration of ours.
    return {}
  }
  const section: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'hexagon') : undefined
  return section === undefined ? {} : check(section, 'package.json "hexagon"')
}

/** Most projects have no configuration: what checks one comes with it. */
async function check(config: unknown, name: string): Promise<Config> {
  const { checkConfig } = await import('./config-check.ts')
  return checkConfig(config, name)
}

async function readJson(file: string, name: string): Promise<unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/u, '')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') throw missing(name)
    throw new HexagonError('E1116', `Cannot read ${name}: ${messageOf(cause)}`, { cause })
  }
  const { findJsonFault } = await import('../value/json-fault.ts')
  const fault = findJsonFault(text)
  if (fault === undefined) return JSON.parse(text) as unknown
  const { line, column, problem } = fault
  throw new HexagonError(
    'E1116',
    `${name} is not JSON: line ${line}, column ${column}: ${problem}`,
    {
      hint: `Correct it in ${name}.`,
      details: { file: name, line, column },
    },
  )
}

function missing(name: string): HexagonError {
  return new HexagonError('E1116', `${name} does not exist`, {
    hint: 'Give an existing file to --config (HEXAGON_CONFIG).',
    details: { file: name },
  })
}
