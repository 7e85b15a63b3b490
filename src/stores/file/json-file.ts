import { DamagedError, NewerFormatError } from '../../core/errors.ts'
import { readOwnText } from './own-file.ts'

/** The format all files of this version have. */
export const FORMAT = 1

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Reads a JSON object; undefined when there is no file.
 * @throws DamagedError, NewerFormatError
 */
export function readJsonObject(path: string): Readonly<Record<string, unknown>> | undefined {
  const text = readText(path)
  return text === undefined ? undefined : parseJsonObject(path, text)
}

/** Reads a text without its byte order mark; undefined when there is no file. @throws DamagedError */
export function readText(path: string): string | undefined {
  const text = readOwnText(path)
  return text?.startsWith(BYTE_ORDER_MARK) === true ? text.slice(1) : text
}

/** Parses an object of the known format. @throws DamagedError, NewerFormatError */
export function parseJsonObject(path: string, text: string): Readonly<Record<string, unknown>> {
  const value = parse(path, text)
  if (!isObject(value)) throw new DamagedError(path, `holds ${kindOf(value)}, not an object`)
  const { format } = value
  if (typeof format === 'number' && format > FORMAT) throw new NewerFormatError(path, format)
  if (format !== FORMAT) throw new DamagedError(path, `has no known format (${shown(format)})`)
  return value
}

/** True for what has named members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(path: string, text: string): unknown {
  if (text.trim() === '') throw new DamagedError(path, 'is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DamagedError(path, `is not valid JSON (${placeOf(text, error)})`)
  }
}

function placeOf(text: string, error: unknown): string {
  const nul = text.indexOf('\0')
  if (nul >= 0) return `NUL at position ${nul.toLocaleString('en')}`
  const message = error instanceof Error ? error.message : ''
  const position = /position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return `position ${Number(position).toLocaleString('en')}`
  return message.startsWith('Unexpected end')
    ? `ends at position ${text.length.toLocaleString('en')}`
    : message
}

function shown(format: unknown): string {
  if (typeof format === 'object' && format !== null) return kindOf(format)
  return String(format).slice(0, 20)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
