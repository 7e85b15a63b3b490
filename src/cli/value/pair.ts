import { HexagonError } from '../../core/errors.ts'
import { parseJson, readTextFile, type DataInput } from './given.ts'
import { MAX_DEPTH, tooDeep } from './limit.ts'

/** `path=text` or `path:=json`, its value read. */
export interface Pair {
  readonly name: string
  readonly path: readonly (
    | { readonly field: string }
    | { readonly index: number }
    | { readonly append: true }
  )[]
  readonly value: unknown
  /** True for `=`: the value is text whatever it looks like. */
  readonly isText: boolean
}

const NAME = String.raw`[^.[\]=:\s"'{}]+`
const PAIR = new RegExp(String.raw`^(${NAME}(?:\.${NAME}|\[\d*\])*)(:?=)([^]*)$`, 'u')
const PART = new RegExp(String.raw`\[(\d*)\]|(${NAME})`, 'gu')
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const LARGEST_INDEX = 10_000

/** True when the text has the form of a pair: a path, then `=` or `:=`. */
export function isPair(text: string): boolean {
  return PAIR.test(text)
}

/** Reads one pair, following `@file` in its value. @throws HexagonError E1204, E1209, E1210, E1211, E1212 */
export async function readPair(text: string, input: DataInput): Promise<Pair> {
  const [, name = '', operator, rest = ''] = PAIR.exec(text) ?? []
  const path = parsePath(name)
  const isText = operator === '='
  if (rest.startsWith('@') && !rest.startsWith('@@')) {
    const file = rest.slice(1)
    const content = await readTextFile(file, input)
    return { name, path, isText, value: isText ? content : parseJson(content, file) }
  }
  if (isText) return { name, path, isText, value: rest.startsWith('@@') ? rest.slice(1) : rest }
  return { name, path, isText, value: parseJson(rest, `${name}:=`) }
}

function parsePath(name: string): Pair['path'] {
  const path = [...name.matchAll(PART)].map(([, index, field]) => {
    if (field !== undefined) return { field: allowed(field) }
    if (index === undefined || index === '') return { append: true } as const
    return { index: Number(index) }
  })
  if (path.length > MAX_DEPTH) throw tooDeep()
  return path
}

function allowed(field: string): string {
  if (!FORBIDDEN.has(field)) return field
  throw new HexagonError('E1209', `"${field}" cannot be used as a field name`, {
    hint: 'Give the whole value as JSON when the flow really has such a field.',
    details: { field },
  })
}

type ObjectTree = { readonly kind: 'object'; readonly fields: Map<string, Tree> }
type Tree =
  | ObjectTree
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'list'; readonly items: Map<number, Tree> }

/** The object that the pairs describe. @throws HexagonError E1206, E1208 when they contradict each other */
export function combinePairs(pairs: readonly Pair[]): Record<string, unknown> {
  const root: ObjectTree = { kind: 'object', fields: new Map() }
  for (const pair of pairs) insert(root, pair, 0)
  return fieldsOf(root, '')
}

function insert(tree: Tree, pair: Pair, depth: number): void {
  const part = pair.path[depth]
  if (part === undefined) return
  const slot = slotOf(tree, part, pair)
  if (depth === pair.path.length - 1) {
    if (slot.get() !== undefined) throw twice(pair)
    slot.set({ kind: 'value', value: pair.value })
    return
  }
  const next = pair.path[depth + 1]
  const child = slot.get() ?? emptyFor(next)
  slot.set(child)
  insert(child, pair, depth + 1)
}

function emptyFor(part: Pair['path'][number] | undefined): Tree {
  return part !== undefined && 'field' in part
    ? { kind: 'object', fields: new Map() }
    : { kind: 'list', items: new Map() }
}

interface Slot {
  get(): Tree | undefined
  set(tree: Tree): void
}

function slotOf(tree: Tree, part: Pair['path'][number], pair: Pair): Slot {
  if ('field' in part) {
    if (tree.kind !== 'object') throw contradiction(pair)
    return slotIn(tree.fields, part.field)
  }
  if (tree.kind !== 'list') throw contradiction(pair)
  const index = 'index' in part ? part.index : Math.max(-1, ...tree.items.keys()) + 1
  if (index > LARGEST_INDEX) throw tooFar(pair.name, index)
  return slotIn(tree.items, index)
}

function slotIn<Key>(map: Map<Key, Tree>, key: Key): Slot {
  return { get: () => map.get(key), set: (tree) => map.set(key, tree) }
}

function fieldsOf(tree: ObjectTree, name: string): Record<string, unknown> {
  const within = (field: string): string => (name === '' ? field : `${name}.${field}`)
  return Object.fromEntries(
    [...tree.fields].map(([field, child]) => [field, toValue(child, within(field))]),
  )
}

function toValue(tree: Tree, name: string): unknown {
  if (tree.kind === 'value') return tree.value
  if (tree.kind === 'object') return fieldsOf(tree, name)
  const length = Math.max(-1, ...tree.items.keys()) + 1
  return Array.from({ length }, (_, index) => {
    const item = tree.items.get(index)
    if (item === undefined) throw hole(name, index)
    return toValue(item, `${name}[${index}]`)
  })
}

function twice({ name }: Pair): HexagonError {
  return new HexagonError('E1206', `${name} is given twice`, {
    hint: `For a list write ${name}[]=… for each of its items.`,
    details: { field: name },
  })
}

function contradiction({ name }: Pair): HexagonError {
  return new HexagonError('E1208', `${name} contradicts another pair: one value has two shapes`, {
    hint: 'Give the whole value as JSON: --data \'{"…":…}\'',
    details: { field: name },
  })
}

function tooFar(name: string, index: number): HexagonError {
  return new HexagonError('E1208', `${name}: ${index} is beyond the last index, ${LARGEST_INDEX}`, {
    hint: 'Give a longer list as a file: field:=@list.json',
    details: { field: name, index },
  })
}

function hole(name: string, index: number): HexagonError {
  return new HexagonError('E1208', `${name}[${index}] is missing, but a later item is given`, {
    hint: `Give every item, or write ${name}[]=… for each in order.`,
    details: { field: `${name}[${index}]` },
  })
}
