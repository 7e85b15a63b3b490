/** One option of a field. */
export interface FieldOption {
  readonly value: unknown
  readonly name: string
}

/** What a field takes. */
export type FieldKind =
  | { readonly type: 'text'; readonly schema: JsonSchema }
  | { readonly type: 'secret'; readonly schema: JsonSchema }
  | { readonly type: 'number'; readonly isInteger: boolean; readonly schema: JsonSchema }
  | { readonly type: 'boolean' }
  | { readonly type: 'one'; readonly options: readonly FieldOption[] }
  | { readonly type: 'many'; readonly options: readonly FieldOption[]; readonly schema: JsonSchema }
  | { readonly type: 'json'; readonly schema: JsonSchema }

/** One thing a form asks for. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  readonly required: boolean
  /** Undefined when there is none. */
  readonly usual: unknown
  readonly kind: FieldKind
}

/** A JSON Schema object; keywords are looked at one by one, as none can be trusted to be there. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** An object with fields, or one value. */
export type FormShape =
  | { readonly type: 'object'; readonly fields: readonly Field[] }
  | { readonly type: 'value'; readonly field: Field }

const MAX_REFERENCES = 20

/** The fields that a JSON Schema asks for; what can't be told in fields is one field of JSON. */
export function formShape(schema: unknown, label: string): FormShape {
  const root = isSchema(schema) ? schema : {}
  const shape = resolve(root, root)
  const properties = shape['properties']
  if (!isSchema(properties) || Object.keys(properties).length === 0) {
    return { type: 'value', field: fieldOf(root, shape, { name: label, required: true }) }
  }
  const required = new Set(list(shape['required']))
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldOf(root, isSchema(property) ? property : {}, { name, required: required.has(name) }),
  )
  return { type: 'object', fields }
}

function fieldOf(
  root: JsonSchema,
  property: JsonSchema,
  { name, required }: { readonly name: string; readonly required: boolean },
): Field {
  const schema = resolve(root, property)
  const told = { ...schema, ...property }
  const label = text(told['title']) ?? name
  const usual = told['default'] ?? schema['default']
  return {
    name,
    label,
    description: text(told['description']),
    required,
    usual,
    kind: kindOf(root, schema),
  }
}

function kindOf(root: JsonSchema, schema: JsonSchema): FieldKind {
  const options = optionsOf(root, schema)
  if (options !== undefined) return { type: 'one', options }
  switch (schema['type']) {
    case 'string':
      return { type: isSecret(schema) ? 'secret' : 'text', schema }
    case 'number':
    case 'integer':
      return { type: 'number', isInteger: schema['type'] === 'integer', schema }
    case 'boolean':
      return { type: 'boolean' }
    case 'array':
      return arrayKind(root, schema)
    default:
      return { type: 'json', schema }
  }
}

function arrayKind(root: JsonSchema, schema: JsonSchema): FieldKind {
  const { items } = schema
  const options = isSchema(items) ? optionsOf(root, resolve(root, items)) : undefined
  return options === undefined ? { type: 'json', schema } : { type: 'many', options, schema }
}

function optionsOf(root: JsonSchema, schema: JsonSchema): FieldOption[] | undefined {
  const { enum: values } = schema
  if (Array.isArray(values)) return values.map((value: unknown) => optionOf(value))
  if ('const' in schema) return [optionOf(schema['const'], text(schema['title']))]
  const branches = list(schema['anyOf'] ?? schema['oneOf']).filter(isSchema)
  const options = branches.map((branch) => resolve(root, branch))
  const areConstants = options.length > 0 && options.every((option) => 'const' in option)
  if (!areConstants) return undefined
  return options.map((option) => optionOf(option['const'], text(option['title'])))
}

function optionOf(value: unknown, title?: string): FieldOption {
  return { value, name: title ?? (typeof value === 'string' ? value : JSON.stringify(value)) }
}

/** A schema without its references, its `null` alternative and its single-branch wrappers. */
function resolve(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let current = schema
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const next = referenced(root, current) ?? onlyBranch(current) ?? withoutNull(current)
    if (next === undefined) return current
    current = next
  }
  return {}
}

function referenced(root: JsonSchema, schema: JsonSchema): JsonSchema | undefined {
  const reference = text(schema['$ref'])
  if (reference === undefined || !reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    found = isSchema(found) ? found[key] : undefined
  }
  const { $ref: _, ...beside } = schema
  return isSchema(found) ? { ...found, ...beside } : beside
}

function onlyBranch(schema: JsonSchema): JsonSchema | undefined {
  const keyword = ['allOf', 'anyOf', 'oneOf'].find((name) => Array.isArray(schema[name]))
  if (keyword === undefined) return undefined
  const branches = list(schema[keyword]).filter(isSchema)
  const real = branches.filter((branch) => branch['type'] !== 'null')
  const [only] = real
  if (only === undefined || real.length > 1) return undefined
  const { [keyword]: _, ...beside } = schema
  return { ...only, ...beside }
}

function withoutNull(schema: JsonSchema): JsonSchema | undefined {
  const types = list(schema['type'])
  if (types.length === 0) return undefined
  const real = types.filter((type) => type !== 'null')
  return real.length === 1 ? { ...schema, type: real[0] } : { ...schema, type: undefined }
}

function isSecret(schema: JsonSchema): boolean {
  return schema['format'] === 'password' || schema['writeOnly'] === true
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
