import type { Problem } from './errors.ts'

/** The part of the Standard Schema interface (standardschema.dev, version 1) that hexagon calls. */
export interface Schema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type a schema gives. */
export type Infer<S> = S extends Schema<infer Output> ? Output : never

/** A checked value, or everything that is wrong with it. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Runs a schema and gives its value or its problems with paths. */
export async function check<T>(schema: Schema<T>, value: unknown): Promise<Checked<T>> {
  return checkedOf(await schema['~standard'].validate(value))
}

/** {@link check} for whoever can't wait: undefined when the schema does not answer at once. */
export function checkNow<T>(schema: Schema<T>, value: unknown): Checked<T> | undefined {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? undefined : checkedOf(result)
}

function checkedOf<T>(result: SchemaResult<T>): Checked<T> {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return {
    ok: false,
    problems: result.issues.map(({ message, path }) => ({ path: formatPath(path ?? []), message })),
  }
}

/** True for anything that has the Standard Schema property. */
export function isSchema(value: unknown): value is Schema {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    '~standard' in value
  )
}

/** JSON Schema of a schema, when its library can tell (a `toJSONSchema` method, or Standard JSON Schema). */
export function jsonSchemaOf(schema: Schema): unknown {
  const standard: unknown = Reflect.get(schema['~standard'], 'jsonSchema')
  if (
    typeof standard === 'object' &&
    standard !== null &&
    'input' in standard &&
    typeof standard.input === 'function'
  ) {
    return attempt(() =>
      Reflect.apply(standard.input as (o: unknown) => unknown, standard, [
        { target: 'draft-2020-12' },
      ]),
    )
  }
  const own: unknown = Reflect.get(schema, 'toJSONSchema')
  if (typeof own === 'function') return attempt(() => Reflect.apply(own, schema, []))
  return undefined
}

function attempt(make: () => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(make()))
  } catch {
    // A schema that can't be told as JSON Schema (a transform, a custom check) still validates.
    return undefined
  }
}

function formatPath(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  return path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('')
}
