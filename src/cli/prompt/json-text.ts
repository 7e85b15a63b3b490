import { messageOf } from '../../core/errors.ts'

/** A text read as JSON, or where it stops being JSON. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** Reads JSON; a problem says line and column, both from 1. */
export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, problem: locate(text, messageOf(error)) }
  }
}

function locate(text: string, message: string): string {
  const position = /at position (\d+)/u.exec(message)?.[1]
  const bare = message
    .replace(/ in JSON at position .*$/u, '')
    .replace(/, "[^]*is not valid JSON$/u, '')
  if (position === undefined) return bare
  const before = text.slice(0, Number(position)).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${bare}`
}
