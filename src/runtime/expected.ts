import { HexagonError, messageOf, type Problem } from '../core/errors.ts'
import { checkNow, isSchema, type Checked, type Schema } from '../core/schema.ts'

/**
 * What a component takes: a Standard Schema that answers at once, or a class. `String`, `Number`,
 * `Boolean`, `BigInt` and `Array` mean their plain values.
 */
export type Expected = Schema | Class

type Class =
  | BigIntConstructor
  | ((abstract new (...args: never[]) => unknown) & { readonly name: string })

/** The type of what an {@link Expected} takes. */
export type Taken<E extends Expected> =
  E extends Schema<infer T>
    ? T
    : E extends StringConstructor
      ? string
      : E extends NumberConstructor
        ? number
        : E extends BooleanConstructor
          ? boolean
          : E extends BigIntConstructor
            ? bigint
            : E extends abstract new (...args: never[]) => infer T
              ? T
              : never

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
export function checkExpected(expected: Expected, value: unknown): Checked<unknown> {
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

function checkClass(expected: Class, value: unknown): Checked<unknown> {
  const isPlain = PLAIN.get(expected)
  const fits =
    isPlain === undefined
      ? typeof value === 'object' && value !== null && value instanceof expected
      : isPlain(value)
  return fits ? { ok: true, value } : { ok: false, problems: [problem(expected, value)] }
}

function problem({ name }: Class, value: unknown): Problem {
  return { path: '', message: `a ${name} is wanted, got ${nameOf(value)}` }
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? `a ${value.constructor.name}` : `a ${typeof value}`
}
