import { binaryTypes } from './binary.ts'
import { errorTypes } from './error-type.ts'
import { expectParts, type ValueType } from './type.ts'

const dateType: ValueType = {
  name: 'Date',
  prototype: Date.prototype,
  closed: true,
  take(date: Date) {
    return Number.isNaN(date.getTime()) ? null : date.toISOString()
  },
  make(parts) {
    if (parts === null) return new Date(Number.NaN)
    expectParts(typeof parts === 'string', 'the text of a date')
    const date = new Date(parts)
    expectParts(date.getTime() === date.getTime() && date.toISOString() === parts, 'an ISO date')
    return date
  },
  copy(date: Date) {
    return new Date(date.getTime())
  },
}

const mapType: ValueType = {
  name: 'Map',
  prototype: Map.prototype,
  lists: 2,
  closed: true,
  take(map: Map<unknown, unknown>) {
    return [...map]
  },
  make(parts) {
    expectParts(Array.isArray(parts) && parts.every(isPair), 'a list of [key, value] pairs')
    const map = new Map<unknown, unknown>(parts)
    expectParts(map.size === parts.length, 'a list of different keys')
    return map
  },
}

const setType: ValueType = {
  name: 'Set',
  prototype: Set.prototype,
  lists: 1,
  closed: true,
  take(set: Set<unknown>) {
    return [...set]
  },
  make(parts) {
    expectParts(Array.isArray(parts), 'a list')
    const set = new Set<unknown>(parts)
    expectParts(set.size === parts.length, 'a list of different values')
    return set
  },
}

const regExpType: ValueType = {
  name: 'RegExp',
  prototype: RegExp.prototype,
  closed: true,
  take(expression: RegExp) {
    return regExpText(expression)
  },
  make(parts) {
    const end = typeof parts === 'string' ? parts.lastIndexOf('/') : -1
    expectParts(typeof parts === 'string' && end > 0, 'the text of a regular expression')
    const expression = new RegExp(parts.slice(1, end), parts.slice(end + 1))
    expectParts(regExpText(expression) === parts, 'the text of a regular expression')
    return expression
  },
  copy({ source, flags }: RegExp) {
    return new RegExp(source, flags)
  },
}

const urlType: ValueType = {
  name: 'URL',
  prototype: URL.prototype,
  take(url: URL) {
    return url.href
  },
  make(parts) {
    expectParts(typeof parts === 'string' && new URL(parts).href === parts, 'a whole URL')
    return new URL(parts)
  },
}

/** Every class of values that is kept without being registered. */
export const builtinTypes: readonly ValueType[] = [
  dateType,
  mapType,
  setType,
  regExpType,
  urlType,
  ...binaryTypes,
  ...errorTypes,
]

function isPair(part: unknown): part is [unknown, unknown] {
  return Array.isArray(part) && part.length === 2
}

/** Every part of a regular expression but `lastIndex`, which starts at 0 in each copy. */
function regExpText({ source, flags }: RegExp): string {
  return `/${source}/${flags}`
}
