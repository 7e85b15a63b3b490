import { findType } from '../value-type.ts'
import { isError } from './error-type.ts'
import type { Trail } from './trail.ts'
import type { ValueType } from './type.ts'

/** What a walk does with each kind of object; `bare` is a record without a prototype. */
export interface Visitor<Result> {
  record(record: Record<string, unknown>): Result
  bare(record: Record<string, unknown>): Result
  array(array: readonly unknown[]): Result
  typed(type: ValueType, value: object): Result
}

const NO_PROTOTYPE = {}

/** Has an object visited as what it is; refuses one that can't be kept. */
export function visit<Result>(value: object, visitor: Visitor<Result>, trail: Trail): Result {
  const prototype: object = Object.getPrototypeOf(value) ?? NO_PROTOTYPE
  if (isRecord(value, prototype === Object.prototype)) return visitor.record(value)
  if (prototype === Array.prototype && Array.isArray(value)) return visitor.array(value)
  if (isRecord(value, prototype === NO_PROTOTYPE)) return visitor.bare(value)
  const type = findType(prototype) ?? errorTypeOf(value, prototype)
  return type === undefined ? visitForeign(value, visitor, trail) : visitor.typed(type, value)
}

/** The keys of a record's own data; `trail` must have entered the record. */
export function textKeys(record: object, trail: Trail): string[] {
  refuseSymbols(record, trail)
  return Object.keys(record)
}

/** The value under a key of a record; `trail` must have entered the record. */
export function dataUnder(record: object, key: string, trail: Trail): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(record, key)
  if (descriptor?.get === undefined && descriptor?.set === undefined) return descriptor?.value
  trail.at(key)
  return trail.refuse("an accessor can't be kept; use its value")
}

/** Refuses what would be lost from an array: holes and named properties. */
export function checkArray(array: readonly unknown[], trail: Trail): void {
  refuseSymbols(array, trail)
  for (let index = 0; index < array.length; index += 1) {
    if (array[index] === undefined && !Object.hasOwn(array, index)) {
      trail.enter(array)
      trail.at(index)
      trail.refuse("a hole in an array can't be kept; use undefined")
    }
  }
  // Listing the keys of a long array costs more than writing it, and those with named properties, as
  // String.match() gives them, are short.
  if (array.length <= 100) refuseNamed(array, array.length, trail)
}

/** The parts of a value, or a refusal when it has just the prototype of its type, or its code throws. */
export function partsOf(type: ValueType, value: object, trail: Trail): unknown {
  if (type.closed === true) refuseNamed(value, 0, trail)
  return attempt(() => type.take(value), type, trail)
}

/** A copy of a value whose type copies it in one go. */
export function copyWhole(type: ValueType, value: object, trail: Trail): object {
  if (type.closed === true) refuseNamed(value, 0, trail)
  return attempt(() => type.copy?.(value) ?? value, type, trail)
}

/** Runs code of a type; what it throws becomes a refusal. */
export function attempt<T>(run: () => T, type: ValueType, trail: Trail): T {
  try {
    return run()
  } catch (error) {
    return trail.refuse(`${type.name} can't be read: ${String(error)}`, error)
  }
}

function refuseSymbols(value: object, trail: Trail): void {
  for (const key of Object.getOwnPropertySymbols(value)) {
    if (Object.prototype.propertyIsEnumerable.call(value, key)) {
      trail.refuse(`the key ${String(key)} can't be kept; use a text key`)
    }
  }
}

function refuseNamed(value: object, elements: number, trail: Trail): void {
  const keys = Object.keys(value)
  if (keys.length === elements) return
  trail.enter(value)
  trail.at(keys.at(-1) ?? '')
  trail.refuse(`a named property of ${withArticle(tagOf(value))} can't be kept`)
}

/** An error of an unregistered class is kept as the nearest built-in class it extends. */
function errorTypeOf(value: object, prototype: object): ValueType | undefined {
  if (!isError(value)) return undefined
  for (let next: object | null = prototype; next !== null; next = Object.getPrototypeOf(next)) {
    const type = findType(next) ?? findType(nativeName(next) ?? next)
    if (type?.incidental === 'stack') return type
  }
  return findType('Error')
}

/** Values of another realm (a vm context, a test runner's) are taken for this realm's. */
function visitForeign<Result>(value: object, visitor: Visitor<Result>, trail: Trail): Result {
  const prototype: object = Object.getPrototypeOf(value)
  const name = nativeName(prototype)
  if (name === undefined) return trail.refuse(unknownClass(value, prototype))
  if (isRecord(value, name === 'Object')) return visitor.record(value)
  if (name === 'Array' && Array.isArray(value)) return visitor.array(value)
  const type = findType(name)
  if (type !== undefined && type.registered !== true) return visitor.typed(type, value)
  return trail.refuse(unkeptNative(name))
}

function isRecord(_value: object, is: boolean): _value is Record<string, unknown> {
  return is
}

function unknownClass(value: object, prototype: object): string {
  const name = constructorOf(prototype)?.name
  if (name !== undefined)
    return `${name === '' ? 'an unnamed class' : `class ${name}`} is not registered`
  const tag = tagOf(value)
  return tag === 'Object'
    ? "an object with a prototype of its own can't be kept"
    : unkeptNative(tag)
}

const BOXED: ReadonlySet<string> = new Set(['Number', 'String', 'Boolean', 'BigInt', 'Symbol'])

function unkeptNative(name: string): string {
  if (BOXED.has(name)) return `a boxed ${name} can't be kept; use the plain value`
  const advice = name === 'Promise' ? '; await it first' : ''
  return `${withArticle(name)} can't be kept${advice}`
}

/** The name of the built-in class, of whatever realm, that a prototype belongs to. */
function nativeName(prototype: object): string | undefined {
  const constructor = constructorOf(prototype)
  if (constructor === undefined) return undefined
  const source = Function.prototype.toString.call(constructor)
  return /\{\s*\[native code\]\s*\}$/.test(source) ? constructor.name : undefined
}

type Constructor = { readonly name: string; readonly prototype: object }

function constructorOf(prototype: object): Constructor | undefined {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof constructor === 'function' && constructor.prototype === prototype
    ? constructor
    : undefined
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

function withArticle(name: string): string {
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
}
