import { fromBase64, toBase64 } from './bytes.ts'
import { expectParts, type ValueType } from './type.ts'

// Opaque bytes are stored as base64, arrays of numbers as numbers, so that a person can read them and
// the byte order of the machine does not matter.

type NumberArray =
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
type BigArray = BigInt64Array | BigUint64Array

const numberArrays = [
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
]

const byteTypes: ValueType[] = [
  bytes('Uint8Array', Uint8Array.prototype, (data) => data),
  bytes(
    'Uint8ClampedArray',
    Uint8ClampedArray.prototype,
    (data) => new Uint8ClampedArray(data.buffer),
  ),
  bytes('ArrayBuffer', ArrayBuffer.prototype, (data) => data.buffer),
  bytes('DataView', DataView.prototype, (data) => new DataView(data.buffer)),
]

/** Typed arrays, ArrayBuffer, DataView, and Buffer where there is one (elsewhere it reads as Uint8Array). */
export const binaryTypes: readonly ValueType[] = [
  ...byteTypes,
  bytes('Buffer', globalThis.Buffer?.prototype ?? {}, (data) =>
    globalThis.Buffer === undefined ? data : globalThis.Buffer.from(data.buffer),
  ),
  ...numberArrays.map((Class) => numbers(Class)),
  ...[BigInt64Array, BigUint64Array].map((Class) => bigNumbers(Class)),
]

function bytes(
  name: string,
  prototype: object,
  wrap: (data: Uint8Array<ArrayBuffer>) => object,
): ValueType {
  return {
    name,
    prototype,
    take(value: Binary) {
      return toBase64(bytesOf(value))
    },
    make(parts) {
      const data = typeof parts === 'string' ? fromBase64(parts) : undefined
      expectParts(data !== undefined, 'base64 text')
      return wrap(data)
    },
    copy(value: Binary) {
      return wrap(bytesOf(value).slice())
    },
  }
}

type Binary = ArrayBuffer | ArrayBufferView

/** What `value` shows of its memory; throws for an object that only has the prototype. */
function bytesOf(value: Binary): Uint8Array {
  const { byteLength } = value
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value)
  return new Uint8Array(value.buffer, value.byteOffset, byteLength)
}

function numbers(Class: {
  new (from: ArrayLike<number>): NumberArray
  readonly prototype: NumberArray
  readonly name: string
}): ValueType {
  return {
    name: Class.name,
    prototype: Class.prototype,
    take(value: NumberArray) {
      return Array.from(value)
    },
    make(parts) {
      expectParts(Array.isArray(parts), 'a list of numbers')
      const made = new Class(parts)
      expectParts(
        made.every((element, index) => Object.is(element, parts[index])),
        `a list of numbers that fit a ${Class.name}`,
      )
      return made
    },
    copy(value: NumberArray) {
      return new Class(value)
    },
  }
}

function bigNumbers(Class: {
  new (from: Iterable<bigint>): BigArray
  readonly prototype: BigArray
  readonly name: string
}): ValueType {
  return {
    name: Class.name,
    prototype: Class.prototype,
    take(value: BigArray) {
      return Array.from(value, String)
    },
    make(parts) {
      expectParts(Array.isArray(parts), 'a list of whole numbers as text')
      const made = new Class(parts.map((part) => BigInt(part)))
      expectParts(
        parts.every((part, index) => part === String(made[index])),
        `a list of whole numbers that fit a ${Class.name}`,
      )
      return made
    },
    copy(value: BigArray) {
      return new Class(value)
    },
  }
}
