import { decode } from './codec.ts'
import type { JsonValue } from './json.ts'
import { Encoder, refuseCode, unkept } from './value/encoder.ts'
import { markSealed, MUTABLE, PLAIN, sealLevel, TAGGED, type SealLevel } from './value/seal-mark.ts'
import {
  attempt,
  checkArray,
  copyWhole,
  dataUnder,
  partsOf,
  textKeys,
  visit,
  type Visitor,
} from './value/shape.ts'
import { isPlain, setOwn, TAG } from './value/tag.ts'
import { Trail } from './value/trail.ts'
import type { ValueType } from './value/type.ts'

/**
 * A deep copy whose objects and arrays are frozen, holding just what {@link encode} takes: nobody can
 * change it, and nobody who holds `value` can. What was sealed before is kept by reference. What
 * can't be frozen (Map, Set, Date, bytes, errors, registered instances) is copied; see {@link copyOf}.
 *
 * @throws SerializationError for what can't be kept, with its path from `path`.
 */
export function seal<T>(value: T, path = 'value'): T {
  if (isPlain(value)) return value
  const flat = sealFlat(value)
  if (flat !== undefined) return flat as T
  return new Sealer(new Trail(path, unkept)).seal(value) as T
}

/** A record of plain values alone, the most usual thing: sealed in one go. Undefined for anything else. */
function sealFlat(value: unknown): object | undefined {
  const copy = isObject(value) && sealLevel(value) === undefined ? flatCopy(value) : undefined
  return copy === undefined ? undefined : markSealed(copy, PLAIN)
}

/**
 * A copy of a record that holds plain values alone, laid over `copy`; undefined for anything else, and for keys
 * that are not among those wanted.
 */
export function flatCopy(
  value: unknown,
  copy: Record<string, unknown> = {},
  wants: (key: string) => boolean = () => true,
): Record<string, unknown> | undefined {
  if (!isRecord(value)) return undefined
  for (const key of Object.keys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key)
    if (descriptor === undefined || !isPlain(descriptor.value)) return undefined
    if (UNSAFE.has(key) || !wants(key)) return undefined
    copy[key] = descriptor.value
  }
  return copy
}

/** A record without symbols as keys. */
function isRecord(value: unknown): value is object {
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return false
  return Object.getOwnPropertySymbols(value).length === 0
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Keys that need care: see {@link setOwn} and {@link TAG}. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', TAG])

/** True when `value` is not frozen through: two readers of it need a copy each. */
export function isExotic(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return (sealLevel(value) ?? MUTABLE) === MUTABLE
}

/** A sealed value for one more reader: itself where it is frozen through, else with fresh copies of
 * the parts that are not. */
export function copyOf<T>(value: T): T {
  return isExotic(value) ? seal(value) : value
}

class Sealer implements Visitor<object> {
  readonly #trail: Trail
  /** Of the value that was sealed last. */
  #level: SealLevel = PLAIN

  constructor(trail: Trail) {
    this.#trail = trail
  }

  seal(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) return this.#object(value)
    if (typeof value === 'function' || typeof value === 'symbol') {
      return refuseCode(value, this.#trail)
    }
    this.#level = isPlain(value) ? PLAIN : TAGGED
    return value
  }

  record(source: Record<string, unknown>): object {
    return this.#entries(source, {})
  }

  bare(source: Record<string, unknown>): object {
    return this.#entries(source, Object.create(null))
  }

  array(source: readonly unknown[]): object {
    checkArray(source, this.#trail)
    const copy = [...source]
    let worst: SealLevel = PLAIN
    this.#trail.enter(source)
    for (let index = 0; index < copy.length; index += 1) {
      const value = copy[index]
      if (isPlain(value)) continue
      this.#trail.at(index)
      const sealed = this.seal(value)
      if (sealed !== value) copy[index] = sealed
      worst = worse(worst, this.#level)
    }
    this.#trail.leave()
    return this.#finish(copy, worst)
  }

  typed(type: ValueType, value: object): object {
    const made =
      type.copy === undefined ? this.#remade(type, value) : copyWhole(type, value, this.#trail)
    this.#level = MUTABLE
    return made
  }

  #object(value: object): object {
    const level = sealLevel(value)
    if (level === undefined || level === MUTABLE) return visit(value, this, this.#trail)
    this.#level = level
    return value
  }

  #entries(source: object, copy: Record<string, unknown>): object {
    let worst: SealLevel = Object.getPrototypeOf(copy) === null ? TAGGED : PLAIN
    this.#trail.enter(source)
    for (const key of textKeys(source, this.#trail)) {
      const value = dataUnder(source, key, this.#trail)
      if (key === TAG) worst = worse(worst, TAGGED)
      if (isPlain(value)) {
        setOwn(copy, key, value)
      } else {
        this.#trail.at(key)
        setOwn(copy, key, this.seal(value))
        worst = worse(worst, this.#level)
      }
    }
    this.#trail.leave()
    return this.#finish(copy, worst)
  }

  #finish(copy: object, level: SealLevel): object {
    this.#level = level
    return markSealed(copy, level)
  }

  #remade(type: ValueType, value: object): object {
    const parts = partsOf(type, value, this.#trail)
    this.#trail.enter(value)
    const kept =
      type.registered === true ? this.#reread(parts) : this.#parts(parts, type.lists ?? 0)
    this.#trail.leave()
    return attempt(() => type.make(kept), type, this.#trail)
  }

  /** Seals parts; the lists a type makes for them are nobody else's and are filled in place. */
  #parts(parts: unknown, lists: number): unknown {
    if (lists === 0 || !Array.isArray(parts)) return this.seal(parts)
    this.#trail.enter(parts)
    for (const [index, part] of parts.entries()) {
      if (isPlain(part)) continue
      this.#trail.at(index)
      parts[index] = this.#parts(part, lists - 1)
    }
    this.#trail.leave()
    return parts
  }

  /** What deserialize() is given after a pause: fresh and unfrozen, sharing nothing. */
  #reread(parts: unknown): unknown {
    const text = JSON.stringify(new Encoder(this.#trail).encode(parts))
    const json: JsonValue = JSON.parse(text)
    return decode(json, this.#trail.path)
  }
}

function worse(a: SealLevel, b: SealLevel): SealLevel {
  return a > b ? a : b
}
