import { HexagonError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'

const PATH = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/u
const LISTED = 12
const PART = /\[(\d+)\]|([^.[\]]+)/gu

/** The parts of a path like `result.items[0].name`. @throws HexagonError E1013 */
export function parsePath(text: string): (string | number)[] {
  if (!PATH.test(text)) {
    throw new HexagonError('E1013', `Bad path "${text}"`, {
      hint: 'Write a path as result.items[0].name',
      details: { path: text },
    })
  }
  return Array.from(text.matchAll(PART), ([, index, field]) => field ?? Number(index))
}

/** What stands at a path; undefined when nothing does. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, part) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, part)
        ? (Reflect.get(found, part) as unknown)
        : undefined,
    value,
  )
}

/** {@link valueAt} where something has to stand. @throws HexagonError E1019 with what stands nearest */
export function foundAt(value: unknown, path: readonly (string | number)[]): unknown {
  const found = valueAt(value, path)
  if (found !== undefined) return found
  const depth = path.findIndex((_, index) => valueAt(value, path.slice(0, index + 1)) === undefined)
  const there = path.slice(0, depth)
  const keys = keysOf(valueAt(value, there), there)
  const wanted = textOf(path.slice(0, depth + 1))
  const near = nearest(wanted, keys)
  throw new HexagonError('E1019', `The result has no "${wanted}"`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}${listed(keys, textOf(there))}`,
    details: { path: textOf(path), known: keys },
  })
}

function keysOf(value: unknown, path: readonly (string | number)[]): string[] {
  if (typeof value !== 'object' || value === null) return []
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.map((key) => textOf([...path, key]))
}

function listed(keys: readonly string[], there: string): string {
  if (keys.length === 0) return `Nothing is in "${there}".`
  const more = keys.length > LISTED ? `, and ${keys.length - LISTED} more` : ''
  return `There is: ${keys.slice(0, LISTED).join(', ')}${more}`
}

/** A path as it is written. */
function textOf(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1)
}
