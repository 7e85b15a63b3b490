import { HexagonError, messageOf, type Problem } from '../core/errors.ts'
import { checkNow, isSchema, type Checked, type Schema } from '../core/schema.ts'

/**
 * What a component takes: a Standard Schema that answers at once, or a class. `String`, `Number`,
 * `Boolean`, `BigInt` and `Array` mean their plain values.
 */
export type Expected<T> = Schema<T> | ClassOf<T>

type ClassOf<T> = T extends string
  ? StringConstructor
  : T extends number
    ? NumberConstructor
    : T extends boolean
      ? BooleanConstructor
      : T extends bigint
        ? BigIntConstructor
        : abstract new (...args: never[]) => T

const PLAIN: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<
  unknown,
  (value: unknown) => boolean
>([
  [String, (value) => typeof value === 'string'],
  [Number, (value) => typeof value === 'number'],
  [Boolean, (value) => typeof value === 'boolean'],
  [BigInt, (value) => typeof value === 'bigint'],
  [Array, (value) => Array.isArray(value)],
])

/** Checks a value that a component was handed. @throws HexagonError (E2131) for a schema that makes it wait */
export function checkExpected<T>(expected: Expected<T>, value: unknown): Checked<T> {
  if (!isSchema(expected)) return checkClass(expected, value)
  try {
    const checked = checkNow(expected, value)
    if (checked !== undefined) return checked
  } catch (error) {
    return { ok: false, problems: [{ path: '', message: messageOf(error) }] }
  }
  throw new HexagonError('E2131', 'This schema checks asynchronously', {
    hint: 'Give a schema that answers at once, or check the value after reading it.',
  })
}

function checkClass<T>(expected: ClassOf<T>, value: unknown): Checked<T> {
  const fits = PLAIN.get(expected)?.(value) ?? value instanceof expected
  return fits
    ? { ok: true, value: value as T }
    : { ok: false, problems: [problem(expected, value)] }
}

function problem({ name }: { readonly name: string }, value: unknown): Problem {
  return { path: '', message: `a ${name} is wanted, got ${nameOf(value)}` }
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? `a ${value.constructor.name}` : `a ${typeof value}`
}
