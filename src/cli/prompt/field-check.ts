import type { Field, JsonSchema } from './form-schema.ts'

/** The text of a text field, or what is wrong with it. */
export function checkText(schema: JsonSchema, text: string): true | string {
  const { minLength: least, maxLength: most, pattern } = schema
  const length = Array.from(text).length
  if (typeof least === 'number' && length < least) {
    return text === '' && least === 1 ? 'required' : `at least ${characters(least)}`
  }
  if (typeof most === 'number' && length > most) return `at most ${characters(most)}`
  return matches(pattern, text) ? true : `must match ${String(pattern)}`
}

/** The number that was typed, or what is wrong with it. */
export function parseNumber(
  { isInteger, schema }: { readonly isInteger: boolean; readonly schema: JsonSchema },
  text: string,
): { readonly value: number } | { readonly problem: string } {
  const bare = text.trim()
  const value = Number(bare)
  const isNumber = bare !== '' && Number.isFinite(value) && /^[+-]?[\d.]/u.test(bare)
  if (!isNumber || (isInteger && !Number.isInteger(value)) || !isWithin(schema, value)) {
    return { problem: `must be ${describeNumber({ isInteger, schema })}` }
  }
  return { value }
}

/** What a number field takes: `an integer from 1 to 100`. */
export function describeNumber({
  isInteger,
  schema,
}: {
  readonly isInteger: boolean
  readonly schema: JsonSchema
}): string {
  const what = isInteger ? 'an integer' : 'a number'
  const { minimum, maximum, multipleOf } = schema
  // Libraries write the bounds of safe integers; nobody wants to read those.
  const from = isBound(minimum) ? ` from ${minimum}` : ''
  const to = isBound(maximum) ? ` to ${maximum}` : ''
  const more = numberOf(schema['exclusiveMinimum'])
  const less = numberOf(schema['exclusiveMaximum'])
  return [
    `${what}${from}${from === '' && to !== '' ? ' up' : ''}${to}`,
    ...(more === undefined ? [] : [`more than ${more}`]),
    ...(less === undefined ? [] : [`less than ${less}`]),
    ...(typeof multipleOf === 'number' ? [`a multiple of ${multipleOf}`] : []),
  ].join(', ')
}

/** How many of several options may be picked. */
export function checkCount(schema: JsonSchema, count: number): true | string {
  const { minItems: least, maxItems: most } = schema
  if (typeof least === 'number' && count < least) return `pick at least ${least}`
  if (typeof most === 'number' && count > most) return `pick at most ${most}`
  return true
}

/** What a field wants, beside its name: `integer from 1 to 100`, `optional`. */
export function hintOf({ kind, required }: Field): string {
  const parts = required ? [] : ['optional']
  if (kind.type === 'number') parts.push(describeNumber(kind).replace(/^an? /u, ''))
  if (kind.type === 'text' && typeof kind.schema['format'] === 'string')
    parts.push(kind.schema['format'])
  return parts.join(', ')
}

function isWithin(schema: JsonSchema, value: number): boolean {
  const least = numberOf(schema['minimum']) ?? Number.NEGATIVE_INFINITY
  const most = numberOf(schema['maximum']) ?? Number.POSITIVE_INFINITY
  const above = numberOf(schema['exclusiveMinimum']) ?? Number.NEGATIVE_INFINITY
  const below = numberOf(schema['exclusiveMaximum']) ?? Number.POSITIVE_INFINITY
  const step = numberOf(schema['multipleOf'])
  const fits = value >= least && value <= most && value > above && value < below
  return fits && (step === undefined || Number.isInteger(Number((value / step).toPrecision(12))))
}

function matches(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string') return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    // A pattern this engine can't read is left to the question's own check.
    return true
  }
}

function isBound(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function characters(count: number): string {
  return `${count} ${count === 1 ? 'character' : 'characters'}`
}
