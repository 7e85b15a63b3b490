import { HexagonError } from '../../core/errors.ts'
import { findJsonFault } from './json-fault.ts'
import { assertDepth, MAX_BYTES, tooLarge } from './limit.ts'

/**
 * One value as it was given, before a question says how to read it. `text` is always there;
 * `json` when the text is JSON too (or comes from a JSON file).
 */
export interface Given {
  readonly origin: 'argument' | 'raw' | 'file' | 'input'
  readonly text: string
  readonly json?: { readonly value: unknown }
}

/** What values may be read from besides the command line itself. */
export interface DataInput {
  /** Refuses more than `limit` bytes. @throws HexagonError E1204, E1210 */
  readFile(path: string, limit: number): Promise<Uint8Array>
  /** Everything on standard input. @throws HexagonError E1205 at a terminal, E1210 */
  readStandardInput(limit: number): Promise<Uint8Array>
}

/** Reads the values of `--data`, in order. @throws HexagonError E1204, E1205, E1210, E1211, E1212, E1216 */
export async function readData(data: readonly string[], input: DataInput): Promise<Given[]> {
  const given: Given[] = []
  for (const argument of data) given.push(await readOne(argument, input))
  return given
}

/** `--data-raw`: always text. */
export function rawText(text: string): Given {
  return { origin: 'raw', text }
}

async function readOne(argument: string, input: DataInput): Promise<Given> {
  if (argument === '-' || argument === '@-') return readStandardInput(input)
  if (argument.startsWith('@@')) return rawText(argument.slice(1))
  if (argument.startsWith('@')) return readFile(argument.slice(1), input)
  return fromText('argument', argument)
}

/** A text that is JSON if it parses as JSON. @throws HexagonError E1210 */
export function fromText(origin: 'argument' | 'input', text: string): Given {
  if (text.length > MAX_BYTES) throw tooLarge(text.length)
  const json = tryJson(text)
  if (json === undefined) return { origin, text }
  assertDepth(json.value)
  return { origin, text, json }
}

async function readStandardInput(input: DataInput): Promise<Given> {
  const text = decodeText(await input.readStandardInput(MAX_BYTES), 'Standard input')
  if (text === '') {
    throw new HexagonError('E1216', '--data - got nothing from standard input', {
      hint: 'Pipe something in, or give the value: --data <value>',
    })
  }
  return fromText('input', text)
}

/** A file: `.json` is JSON, `.jsonl` a list of its lines, anything else text. */
async function readFile(path: string, input: DataInput): Promise<Given> {
  const text = await readTextFile(path, input)
  if (path.endsWith('.json'))
    return { origin: 'file', text, json: { value: parseJson(text, path) } }
  if (path.endsWith('.jsonl'))
    return { origin: 'file', text, json: { value: parseLines(text, path) } }
  return { origin: 'file', text }
}

/** UTF-8 without its byte order mark and without one final newline. @throws HexagonError E1204, E1210, E1212 */
export async function readTextFile(
  path: string,
  input: DataInput,
  limit = MAX_BYTES,
): Promise<string> {
  return decodeText(await input.readFile(path, limit), path)
}

/** A file as JSON, of any depth. @throws HexagonError E1211 with line and column */
export function parseAnyJson(text: string, name: string): unknown {
  const json = tryJson(text)
  if (json === undefined) throw notJson(text, { name, hint: 'Correct it.' })
  return json.value
}

/** An answer as JSON. @throws HexagonError E1210, E1211 */
export function parseJson(text: string, name: string): unknown {
  const json = tryJson(text)
  if (json === undefined) throw notJson(text, { name, hint: OR_TEXT })
  assertDepth(json.value)
  return json.value
}

function parseLines(text: string, name: string): unknown[] {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }))
  return lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => {
      const json = tryJson(line)
      if (json === undefined) throw notJson(line, { name, hint: OR_TEXT, line: number })
      assertDepth(json.value)
      return json.value
    })
}

const OR_TEXT = 'Correct it, or give text with --data-raw.'

interface Unread {
  readonly name: string
  readonly hint: string
  readonly line?: number
}

function notJson(text: string, { name, hint, line }: Unread): HexagonError {
  const fault = findJsonFault(text) ?? { line: 1, column: 1, problem: 'Not JSON' }
  const at = { line: line ?? fault.line, column: fault.column }
  return new HexagonError(
    'E1211',
    `${name} is not JSON: line ${at.line}, column ${at.column}: ${fault.problem}`,
    { hint, details: { name, ...at } },
  )
}

function tryJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** UTF-8 without its byte order mark and without one final newline. @throws HexagonError E1212 */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
  } catch (cause) {
    throw new HexagonError('E1212', `${name} is not UTF-8`, {
      hint: 'Save it as UTF-8 and try again.',
      cause,
      details: { name },
    })
  }
}
