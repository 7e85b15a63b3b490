import { SerializationError } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import { PLAIN, sealLevel } from './seal-mark.ts'
import { checkArray, dataUnder, partsOf, textKeys, visit, type Visitor } from './shape.ts'
import { isPlain, TAG, tagNumber, tagged, UNDEFINED } from './tag.ts'
import { Trail } from './trail.ts'
import type { ValueType } from './type.ts'

/** What an encoding is for: `identity` leaves out what two equal values may differ in. */
export type Purpose = 'storage' | 'identity'

/** A value as JSON for some purpose. */
export function encodeFor(purpose: Purpose, value: unknown, path: string): JsonValue {
  return new Encoder(new Trail(path, unkept), purpose).encode(value) as JsonValue
}

/** The error for a value that can't be kept. */
export function unkept(path: string, problem: string, cause?: unknown): SerializationError {
  return new SerializationError(path, problem, cause)
}

/** Writes values as JSON, copying only what is not plain JSON. */
export class Encoder implements Visitor<object> {
  readonly #trail: Trail
  readonly #purpose: Purpose

  constructor(trail: Trail, purpose: Purpose = 'storage') {
    this.#trail = trail
    this.#purpose = purpose
  }

  /** JSON, though its type is too deep for the compiler to follow. */
  encode(value: unknown): unknown {
    if (isPlain(value)) return value
    if (typeof value === 'object') return value === null ? null : this.#object(value)
    if (typeof value === 'number') return tagNumber(value)
    if (typeof value === 'bigint') return tagged('bigint', String(value))
    return value === undefined ? UNDEFINED : refuseCode(value, this.#trail)
  }

  record(source: Record<string, unknown>): object {
    const record = this.#entries(source)
    return Object.hasOwn(source, TAG) ? tagged('Object', record) : record
  }

  bare(source: Record<string, unknown>): object {
    return tagged('null-prototype', this.#entries(source))
  }

  array(source: readonly unknown[]): object {
    checkArray(source, this.#trail)
    let copy: unknown[] | undefined
    this.#trail.enter(source)
    for (let index = 0; index < source.length; index += 1) {
      const value = source[index]
      if (isPlain(value)) continue
      this.#trail.at(index)
      const encoded = this.encode(value)
      if (encoded === value) continue
      copy ??= [...source]
      copy[index] = encoded
    }
    this.#trail.leave()
    return copy ?? source
  }

  typed(type: ValueType, value: object): object {
    const parts = partsOf(type, value, this.#trail)
    this.#trail.enter(value)
    const encoded = this.encode(this.#purpose === 'identity' ? compared(type, parts) : parts)
    this.#trail.leave()
    return tagged(type.name, encoded)
  }

  #object(value: object): object {
    return sealLevel(value) === PLAIN ? value : visit(value, this, this.#trail)
  }

  #entries(source: Record<string, unknown>): object {
    let copy: Record<string, unknown> | undefined
    this.#trail.enter(source)
    for (const key of textKeys(source, this.#trail)) {
      const value = dataUnder(source, key, this.#trail)
      if (isPlain(value)) continue
      this.#trail.at(key)
      const encoded = this.encode(value)
      if (encoded === value) continue
      // The spread makes an own "__proto__" an own key, so that setting it below stays safe.
      copy ??= { ...source }
      copy[key] = encoded
    }
    this.#trail.leave()
    return copy ?? source
  }
}

/** Parts without the one that says nothing about what the value means. */
function compared(type: ValueType, parts: unknown): unknown {
  if (type.incidental === undefined) return parts
  return { ...Object(parts), [type.incidental]: undefined }
}

/** Refuses a function or a symbol. */
export function refuseCode(value: unknown, trail: Trail): never {
  if (typeof value !== 'function') return trail.refuse("a symbol can't be kept")
  return trail.refuse(
    value.name === '' ? "a function can't be kept" : `function "${value.name}" can't be kept`,
  )
}
