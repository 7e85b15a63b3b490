import { HexagonError, messageOf, type ErrorDetails } from '../errors.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { findType } from '../value-type.ts'
import { isPlain, ODD_NUMBERS, TAG, TAG_NAMES } from './tag.ts'
import type { Trail } from './trail.ts'
import type { ValueType } from './type.ts'

/** A stored value can't be read back: its tag is unknown or does not fit. `path` says where it is. */
export class StoredValueError extends HexagonError {
  readonly path: string
  constructor(path: string, problem: string, options: ErrorDetails = {}) {
    super('E1308', `${path}: ${problem}`, {
      hint: 'The record was damaged or written by hand. hexagon doctor --fix restores the last good version.',
      details: { path },
      ...options,
    })
    this.path = path
  }
}

/** Reads what the encoder wrote, copying only what has tags in it. */
export class Decoder {
  readonly #trail: Trail

  constructor(trail: Trail) {
    this.#trail = trail
  }

  decode(json: JsonValue): unknown {
    if (isPlain(json)) return json
    if (isArray(json)) return this.#array(json)
    return Object.hasOwn(json, TAG) ? this.#tagged(json) : this.#record(json)
  }

  #record(source: JsonObject): object {
    let copy: Record<string, unknown> | undefined
    this.#trail.enter(source)
    for (const key of Object.keys(source)) {
      const json = source[key]
      if (isPlain(json) || json === undefined) continue
      this.#trail.at(key)
      const value = this.decode(json)
      if (value === json) continue
      // As in the encoder: an own "__proto__" is an own key of the copy already.
      copy ??= { ...source }
      copy[key] = value
    }
    this.#trail.leave()
    return copy ?? source
  }

  #array(source: readonly JsonValue[]): readonly unknown[] {
    let copy: unknown[] | undefined
    this.#trail.enter(source)
    for (const [index, json] of source.entries()) {
      if (isPlain(json)) continue
      this.#trail.at(index)
      const value = this.decode(json)
      if (value === json) continue
      copy ??= [...source]
      copy[index] = value
    }
    this.#trail.leave()
    return copy ?? source
  }

  #tagged(json: JsonObject): unknown {
    const { [TAG]: tag, value, ...others } = json
    if (typeof tag !== 'string') return this.#trail.refuse(`"${TAG}" is not the name of a type`)
    if (Object.keys(others).length > 0)
      return this.#trail.refuse(`more than a value beside "${tag}"`)
    if (tag === 'undefined' && value === undefined) return undefined
    if (value === undefined) return this.#trail.refuse(`"${tag}" has no value`)
    const type = TAG_NAMES.has(tag) ? undefined : this.#typeOf(tag)
    if (type === undefined) return this.#untyped(tag, value)
    this.#trail.enter(json)
    const parts = this.decode(value)
    this.#trail.leave()
    try {
      return type.make(parts)
    } catch (error) {
      return this.#trail.refuse(`${tag} can't be made from its value: ${messageOf(error)}`, error)
    }
  }

  #typeOf(tag: string): ValueType {
    const type = findType(tag)
    if (type !== undefined) return type
    throw new StoredValueError(this.#trail.path, `unknown type ${JSON.stringify(tag)}`, {
      hint: `Import the module that calls registerType(${JSON.stringify(tag)}, …) before the thread is read.`,
    })
  }

  #untyped(tag: string, json: JsonValue): unknown {
    if (typeof json === 'string') {
      const value = PRIMITIVES.get(tag)?.(json)
      if (value !== undefined) return value
    } else if (isObject(json)) {
      const record = this.#record(json)
      if (tag === 'Object') return record
      if (tag === 'null-prototype') return Object.assign(Object.create(null), record)
    }
    return this.#trail.refuse(`this is no value of type ${tag}`)
  }
}

const PRIMITIVES: ReadonlyMap<string, (text: string) => unknown> = new Map([
  ['number', (text: string): unknown => ODD_NUMBERS.get(text)],
  ['bigint', (text: string): unknown => (BIGINT.test(text) ? BigInt(text) : undefined)],
])

const BIGINT = /^(?:0|-?[1-9][0-9]*)$/

function isArray(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json)
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
