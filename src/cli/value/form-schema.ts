import { nearest } from '../../core/nearest.ts'

// What the command line needs of a JSON Schema: field names, and types precise enough to tell what
// to write instead. Everything else is left to the question's own validator.

type JsonSchema = Readonly<Record<string, unknown>>

/** What is wrong with a value, as the command line says it. */
export type FieldProblem =
  | {
      readonly kind: 'unknown'
      readonly name: string
      readonly known: readonly string[]
      readonly near?: string
    }
  | {
      readonly kind: 'type'
      readonly name: string
      readonly wanted: string
      readonly value: unknown
    }
  | { readonly kind: 'missing'; readonly names: readonly string[] }

/** Names of the fields an object of this schema has; empty when the schema does not tell. */
export function fieldNames(schema: unknown): string[] {
  return Object.keys(objectOf(asSchema(schema)['properties']))
}

/** Every field that is unknown, of the wrong type or missing. */
export function findFieldProblems(schema: unknown, value: unknown): FieldProblem[] {
  return problemsAt({ schema: asSchema(schema), root: asSchema(schema), name: '', depth: 0 }, value)
}

interface Place {
  readonly schema: JsonSchema
  /** Where `#/$defs/…` points into. */
  readonly root: JsonSchema
  readonly name: string
  readonly depth: number
}

const DEEPEST = 32

function problemsAt(place: Place, value: unknown): FieldProblem[] {
  const schema = resolve(place)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => hasType(type, value)))
    return [wrong(place, schema, value)]
  if (!isInEnum(schema, value) || !isInRange(schema, value)) return [wrong(place, schema, value)]
  if (place.depth >= DEEPEST) return []
  const inside = { ...place, schema, depth: place.depth + 1 }
  if (Array.isArray(value)) return itemProblems(inside, value)
  if (typeof value === 'object' && value !== null)
    return objectProblems(inside, Object.entries(value))
  return []
}

function itemProblems(place: Place, items: readonly unknown[]): FieldProblem[] {
  const schema = place.schema['items']
  if (typeof schema !== 'object' || schema === null) return []
  return items.flatMap((item, index) =>
    problemsAt({ ...place, schema: asSchema(schema), name: `${place.name}[${index}]` }, item),
  )
}

function objectProblems(place: Place, entries: readonly [string, unknown][]): FieldProblem[] {
  const properties = objectOf(place.schema['properties'])
  const known = Object.keys(properties)
  const given = new Set(entries.map(([field]) => field))
  const within = (field: string): string => (place.name === '' ? field : `${place.name}.${field}`)
  const problems = entries.flatMap(([field, value]) => {
    if (Object.hasOwn(properties, field)) {
      return problemsAt(
        { ...place, schema: asSchema(properties[field]), name: within(field) },
        value,
      )
    }
    return isOpen(place.schema) ? [] : [unknownField(within(field), field, known.map(within))]
  })
  const missing = requiredOf(place.schema).filter((field) => !given.has(field))
  return missing.length === 0
    ? problems
    : [...problems, { kind: 'missing', names: missing.map(within) }]
}

function unknownField(name: string, field: string, known: readonly string[]): FieldProblem {
  const near = nearest(name, known) ?? nearest(field, known)
  return { kind: 'unknown', name, known, ...(near === undefined ? {} : { near }) }
}

function wrong(place: Place, schema: JsonSchema, value: unknown): FieldProblem {
  return { kind: 'type', name: place.name, wanted: describe(schema), value }
}

/** Fields beyond the named ones are fine: nothing is named, or the schema says so. */
function isOpen(schema: JsonSchema): boolean {
  const rest = schema['additionalProperties']
  if (rest === true || (typeof rest === 'object' && rest !== null)) return true
  const combines = ['anyOf', 'oneOf', 'allOf', 'patternProperties'].some((word) => word in schema)
  return combines || !('properties' in schema)
}

function resolve({ schema, root }: Place): JsonSchema {
  const reference = schema['$ref']
  if (typeof reference !== 'string' || !reference.startsWith('#')) return schema
  let found: unknown = root
  for (const part of reference.split('/').slice(1)) {
    found = objectOf(found)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return asSchema(found)
}

function typesOf(schema: JsonSchema): string[] {
  const type = schema['type']
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : []
}

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
}

function hasType(type: string, value: unknown): boolean {
  return TYPE_TESTS[type]?.(value) ?? true
}

function isInEnum(schema: JsonSchema, value: unknown): boolean {
  const options = optionsOf(schema)
  return (
    options === undefined ||
    options.some((option) => JSON.stringify(option) === JSON.stringify(value))
  )
}

function optionsOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

function isInRange(schema: JsonSchema, value: unknown): boolean {
  if (typeof value !== 'number') return true
  const { minimum, maximum } = rangeOf(schema)
  return (minimum === undefined || value >= minimum) && (maximum === undefined || value <= maximum)
}

function rangeOf(schema: JsonSchema): { minimum?: number; maximum?: number } {
  const { minimum, maximum } = schema
  // Schema libraries write the largest safe integers where nobody set a limit.
  return {
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? { minimum } : {}),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? { maximum } : {}),
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
}

/** What a schema wants, for a sentence: `an integer from 1 to 100`. */
export function describe(schema: unknown): string {
  const known = asSchema(schema)
  const options = optionsOf(known)
  if (options !== undefined)
    return `one of ${options.map((option) => JSON.stringify(option)).join(', ')}`
  const type = typesOf(known)
    .map((name) => TYPE_WORDS[name] ?? name)
    .join(' or ')
  return `${type === '' ? 'another value' : type}${describeRange(known)}`
}

function describeRange(schema: JsonSchema): string {
  const { minimum, maximum } = rangeOf(schema)
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function requiredOf(schema: JsonSchema): string[] {
  const required = schema['required']
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function asSchema(value: unknown): JsonSchema {
  return objectOf(value)
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
