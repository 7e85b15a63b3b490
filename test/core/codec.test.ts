import { runInNewContext } from 'node:vm'

import { describe, expect, test, vi } from 'vitest'

import { decode, encode, StoredValueError } from '../../src/core/codec.ts'
import { SerializationError } from '../../src/core/errors.ts'
import type { JsonValue } from '../../src/core/json.ts'
import { registerType } from '../../src/core/value-type.ts'
import { difference } from './difference.ts'

class Money {
  readonly #amount: bigint
  readonly currency: string

  constructor(amount: bigint, currency: string) {
    this.#amount = amount
    this.currency = currency
  }

  get amount(): bigint {
    return this.#amount
  }
}

class Unregistered {
  readonly a = 1
}

registerType('codec.Money', Money, {
  serialize: (money) => ({ amount: money.amount, currency: money.currency }),
  deserialize: ({ amount, currency }) => new Money(amount, currency),
})

/** The value after a pause: written as text, read by another process. */
function reread(value: unknown): unknown {
  const json: JsonValue = JSON.parse(JSON.stringify(encode(value)))
  return decode(json)
}

function refusal(run: () => unknown): SerializationError {
  try {
    run()
  } catch (error) {
    if (error instanceof SerializationError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function ofJson(text: string): JsonValue {
  return JSON.parse(text)
}

function misread(text: string): StoredValueError {
  try {
    decode(ofJson(text), 't1.json: state')
  } catch (error) {
    if (error instanceof StoredValueError) return error
    throw error
  }
  throw new Error(`${text} was read`)
}

const bytes = Uint8Array.of(0, 1, 127, 128, 255)
const tagLike = { $type: 'Date', value: '2024-01-01T00:00:00.000Z' }

const kept: readonly [string, unknown][] = [
  ['null', null],
  ['a Date', new Date(1_700_000_000_123)],
  ['a Date far from now', new Date(-8.64e15)],
  ['an invalid Date', new Date(Number.NaN)],
  [
    'a Map',
    new Map<unknown, unknown>([
      ['a', 1],
      [{ k: 1 }, new Map([[1, undefined]])],
      [Number.NaN, 0],
    ]),
  ],
  ['a Set', new Set(['a', new Set([1n]), [2]])],
  ['a BigInt', 10n],
  ['a negative BigInt', -1n],
  ['a large BigInt', 2n ** 200n],
  ['undefined', undefined],
  ['undefined as a property', { a: undefined, b: 1 }],
  ['undefined as an element', [undefined, 1, undefined]],
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
  ['-0 in an array', [0, -0]],
  ['the smallest and largest numbers', [5e-324, 1.7976931348623157e308, 2 ** 53 + 2]],
  ['a RegExp', /a\/b[/]\n(?<name>c)/dgimsuy],
  ['an empty RegExp', new RegExp('')],
  ['a URL', new URL('https://user:pw@example.com:8080/a%20b?q=1#h')],
  ['an Int8Array', Int8Array.of(-128, 127)],
  ['a Uint8Array', bytes],
  ['a Uint8ClampedArray', Uint8ClampedArray.of(0, 255)],
  ['an Int16Array', Int16Array.of(-32_768, 32_767)],
  ['a Uint16Array', Uint16Array.of(65_535)],
  ['an Int32Array', Int32Array.of(-(2 ** 31))],
  ['a Uint32Array', Uint32Array.of(2 ** 32 - 1)],
  ['a Float32Array', Float32Array.of(0.1, -0, Infinity)],
  ['a Float64Array', Float64Array.of(Number.NaN, -0, 1.5, -Infinity)],
  ['a BigInt64Array', BigInt64Array.of(-(2n ** 63n), 1n)],
  ['a BigUint64Array', BigUint64Array.of(2n ** 64n - 1n)],
  ['an empty typed array', new Uint8Array()],
  ['an ArrayBuffer', bytes.slice().buffer],
  ['a DataView', new DataView(bytes.slice().buffer)],
  ['a Buffer', Buffer.from('hé ⛰️')],
  ['100,000 bytes', new Uint8Array(100_000).map((_, index) => index * 7)],
  [
    'an object without a prototype',
    Object.assign(Object.create(null), { a: new Date(0), ['__proto__']: 1 }),
  ],
  ['a key __proto__', ofJson('{"__proto__":{"isAdmin":true},"a":1}')],
  [
    'a key __proto__ beside a Date',
    Object.assign(ofJson('{"__proto__":{"isAdmin":true}}') as object, { at: new Date(0) }),
  ],
  [
    'a Date under the key __proto__',
    Object.defineProperty({}, '__proto__', {
      value: new Date(0),
      enumerable: true,
      writable: true,
      configurable: true,
    }),
  ],
  [
    'keys that mean something elsewhere',
    {
      constructor: { name: 'x' },
      prototype: 1,
      toJSON: 3,
      toString: 4,
      length: 5,
      valueOf: 1n,
    },
  ],
  ['odd keys', { '': new Date(0), 'a.b': 1n, '[0]': 2n, $value: 3n, '\0': 4n }],
  ['text with NUL and lone surrogates', ['\0', '\ud800', 'a\udc00b', '\u2028', '"\\']],
  [
    'an instance of a registered class, deep inside',
    { order: [new Map([['x', { total: new Money(10n, 'EUR') }]])] },
  ],
  ['data that looks like a tag', tagLike],
  ['data that looks like an escaped tag', { $type: 'Object', value: { $type: 'undefined' } }],
  ['data that looks like a broken tag', { $type: { $type: 5 }, more: new Date(0) }],
  ['data that looks like a tag, in everything', new Map([[tagLike, new Set([[tagLike]])]])],
]

describe('what is kept', () => {
  test.each(kept)('O07 %s is the same after a pause', (_name, value) => {
    expect(difference(reread(value), value)).toBeUndefined()
    expect(difference(reread({ deep: [{ value }] }), { deep: [{ value }] })).toBeUndefined()
  })

  test('B40 a BigInt is kept wherever it stands', () => {
    const value = { state: 10n, list: [-1n, { deep: 0n }] }

    expect(reread(value)).toEqual(value)
  })

  test('L19 text beyond ASCII is intact and readable in the file', () => {
    expect(reread({ note: '⛰️ é 漢' })).toEqual({ note: '⛰️ é 漢' })
    expect(JSON.stringify(encode({ note: '⛰️' }))).toContain('⛰️')
  })

  test('the file can be read by a person', () => {
    const value = {
      at: new Date(0),
      tags: new Set(['a']),
      byId: new Map([['k', 1n]]),
      scores: Float64Array.of(0.5, 1),
    }

    expect(JSON.stringify(encode(value))).toBe(
      '{"at":{"$type":"Date","value":"1970-01-01T00:00:00.000Z"},' +
        '"tags":{"$type":"Set","value":["a"]},' +
        '"byId":{"$type":"Map","value":[["k",{"$type":"bigint","value":"1"}]]},' +
        '"scores":{"$type":"Float64Array","value":[0.5,1]}}',
    )
  })

  test('plain JSON is passed on by reference, both ways', () => {
    const value = ofJson('{"a":[1,"x",null,{"b":true}],"__proto__":1}')

    expect(encode(value)).toBe(value)
    expect(decode(value)).toBe(value)
  })

  test('encoding leaves the value alone', () => {
    const at = new Date(0)
    const value = { list: [at], plain: { a: 1 } }

    const json = encode(value)

    expect(value).toEqual({ list: [at], plain: { a: 1 } })
    expect(json).toHaveProperty('plain', value.plain)
  })

  test('a view keeps what it shows of its memory', () => {
    const memory = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer

    const read = reread([
      new Uint8Array(memory, 2, 3),
      new DataView(memory, 6),
      Buffer.from(memory, 1, 2),
    ])

    const expected = [
      Uint8Array.of(3, 4, 5),
      new DataView(Uint8Array.of(7, 8).buffer),
      Buffer.of(2, 3),
    ]
    expect(difference(read, expected)).toBeUndefined()
  })

  test('bytes of shared memory are kept as bytes', () => {
    const view = new Uint8Array(new SharedArrayBuffer(2))
    view[0] = 9

    expect(difference(reread(view), Uint8Array.of(9, 0))).toBeUndefined()
  })

  test('a Buffer comes back as a Buffer', () => {
    const read = reread(Buffer.from('hi'))

    expect(Buffer.isBuffer(read)).toBe(true)
    expect(String(read)).toBe('hi')
  })

  test('a Buffer reads as a Uint8Array where there is no Buffer', async () => {
    const json = encode(Buffer.from('hi'))
    vi.stubGlobal('Buffer', undefined)
    vi.resetModules()
    const elsewhere = await import('../../src/core/codec.ts')
    const read = elsewhere.decode(json)
    vi.unstubAllGlobals()

    expect(difference(read, Uint8Array.of(104, 105))).toBeUndefined()
  })

  test('a RegExp starts from 0 again', () => {
    const expression = /a/g
    expression.test('aa')

    expect(reread(expression)).toHaveProperty('lastIndex', 0)
  })

  test('an object that is referred to twice is written twice', () => {
    const part = { at: new Date(0) }

    const read = reread({ a: part, b: part })

    expect(read).toEqual({ a: part, b: part })
  })

  test('values of another realm come back as this realm’s', () => {
    const foreign: unknown = runInNewContext(
      `({ list: [1, { at: new Date(5) }], map: new Map([[1, new Set([2])]]), bytes: Uint8Array.of(7), failed: new TypeError('no') })`,
    )

    const read = reread(foreign)

    expect(read).toMatchObject({
      list: [1, { at: new Date(5) }],
      map: new Map([[1, new Set([2])]]),
      bytes: Uint8Array.of(7),
    })
    expect(read).toHaveProperty('failed', expect.any(TypeError))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })
})

describe('errors', () => {
  test('an error keeps its name, message, stack, cause, code and properties', () => {
    const cause = new RangeError('too far')
    const error = Object.assign(new TypeError('no', { cause }), {
      code: 'E_NO',
      at: new Date(0),
      count: 1n,
    })

    const read = reread({ error })

    expect(difference(read, { error })).toBeUndefined()
    expect(read).toMatchObject({
      error: { message: 'no', code: 'E_NO', cause: { message: 'too far' } },
    })
  })

  test.each([Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError])(
    '%o comes back as its class',
    (Class) => {
      const error = new Class('x')

      expect(difference(reread(error), error)).toBeUndefined()
      expect(reread(error)).toBeInstanceOf(Class)
    },
  )

  test('an AggregateError keeps its errors', () => {
    const error = new AggregateError([new Error('a'), 'b', { c: 1n }], 'several')

    expect(difference(reread(error), error)).toBeUndefined()
  })

  test('what an error shows openly is stored once', () => {
    const error = Object.assign(new Error('x'), { code: 'E_NO', name: 'Own' })
    error.stack = 'here'

    expect(encode(error)).toEqual({
      $type: 'Error',
      value: { message: 'x', stack: 'here', props: { code: 'E_NO', name: 'Own' } },
    })
  })

  test('an error of an unregistered class keeps its name, as the nearest built-in class', () => {
    class PaymentError extends TypeError {
      override name = 'PaymentError'
      readonly order = 7
    }

    const read = reread(new PaymentError('declined'))

    expect(read).toBeInstanceOf(TypeError)
    expect(String(read)).toBe('PaymentError: declined')
    expect(read).toMatchObject({ order: 7 })
  })

  test('a name that the class gives is kept, and stays hidden', () => {
    class Hidden extends Error {}
    Object.defineProperty(Hidden.prototype, 'name', { value: 'Hidden' })

    const read = reread(new Hidden('x'))

    expect(read).toHaveProperty('name', 'Hidden')
    expect(Object.keys(read as object)).toEqual([])
  })

  test('an abort reason is kept with its name and code', () => {
    const read = reread(AbortSignal.abort().reason)

    expect(read).toBeInstanceOf(Error)
    expect(read).toMatchObject({
      name: 'AbortError',
      code: 20,
      message: 'This operation was aborted',
    })
  })

  test('a cause of undefined, a missing stack and an empty message are kept as they are', () => {
    const error = new Error('', { cause: undefined })
    Reflect.deleteProperty(error, 'stack')

    expect(difference(reread(error), error)).toBeUndefined()
  })

  test('symbols that mark the class of an error are dropped with the class', () => {
    const error = Object.assign(new Error('x'), { [Symbol.for('brand')]: true })

    expect(reread(error)).toBeInstanceOf(Error)
  })

  test('an error that lost its prototype is kept as an error', () => {
    const error = Object.setPrototypeOf(new TypeError('x'), {})

    expect(reread(error)).toBeInstanceOf(Error)
    expect(reread(error)).toHaveProperty('message', 'x')
  })

  test('an error with only the prototype of one is taken for one', () => {
    const error = Object.create(Error.prototype, { message: { value: 'x' } })

    expect(reread(error)).toMatchObject({ message: 'x' })
  })
})

const cyclic: { a: { b?: unknown } } = { a: {} }
cyclic.a.b = cyclic
const cyclicMap = new Map<string, unknown>()
cyclicMap.set('me', [cyclicMap])

const refused: readonly [string, unknown, string][] = [
  [
    'a class',
    { order: { total: new Unregistered() } },
    'state.order.total: class Unregistered is not registered',
  ],
  [
    'a subclass of a registered class',
    { x: new (class Euro extends Money {})(1n, 'EUR') },
    'state.x: class Euro is not registered',
  ],
  [
    'a subclass of Map',
    [new (class Registry extends Map {})()],
    'state[0]: class Registry is not registered',
  ],
  [
    'a subclass of Array',
    { s: new (class Stack extends Array {})() },
    'state.s: class Stack is not registered',
  ],
  [
    'an unnamed class',
    {
      x: new (class {
        a = 1
      })(),
    },
    'state.x: an unnamed class is not registered',
  ],
  [
    'a class of Node',
    { q: new URLSearchParams('a=1') },
    'state.q: class URLSearchParams is not registered',
  ],
  ['a function', { client: { send() {} } }, 'state.client.send: function "send" can\'t be kept'],
  ['an unnamed function', [1, () => 1], "state[1]: a function can't be kept"],
  ['toJSON', { toJSON: () => 'x' }, 'state.toJSON: function "toJSON" can\'t be kept'],
  ['a symbol', [Symbol('x')], "state[0]: a symbol can't be kept"],
  [
    'a symbol key',
    { a: { [Symbol('k')]: 1 } },
    "state.a: the key Symbol(k) can't be kept; use a text key",
  ],
  [
    'a symbol key of an array',
    Object.assign([1], { [Symbol('k')]: 1 }),
    "state: the key Symbol(k) can't be kept; use a text key",
  ],
  ['a Promise', { p: Promise.resolve(1) }, "state.p: a Promise can't be kept; await it first"],
  ['a WeakMap', { w: new WeakMap() }, "state.w: a WeakMap can't be kept"],
  ['a SharedArrayBuffer', new SharedArrayBuffer(1), "state: a SharedArrayBuffer can't be kept"],
  [
    'a generator',
    (function* numbers() {
      yield 1
    })(),
    "state: a Generator can't be kept",
  ],
  ['an iterator', { it: [1].values() }, "state.it: an Array Iterator can't be kept"],
  [
    'a getter',
    {
      total: {
        get value() {
          throw new Error('never called')
        },
      },
    },
    "state.total.value: an accessor can't be kept; use its value",
  ],
  [
    'a setter',
    Object.defineProperty({}, 'x', { set() {}, enumerable: true }),
    "state.x: an accessor can't be kept; use its value",
  ],
  [
    'a boxed string',
    { s: Object('x') },
    "state.s: a boxed String can't be kept; use the plain value",
  ],
  [
    'an object that inherits a class',
    Object.create({ constructor: Map }),
    "state: an object with a prototype of its own can't be kept",
  ],
  [
    'an inherited object',
    Object.create({ a: 1 }),
    "state: an object with a prototype of its own can't be kept",
  ],
  [
    'a hole',
    { items: Object.assign([1], { 2: 3 }) },
    "state.items[1]: a hole in an array can't be kept; use undefined",
  ],
  [
    'a vast hole',
    Object.assign([], { 4_294_967_294: 1 }),
    "state[0]: a hole in an array can't be kept; use undefined",
  ],
  [
    'a match',
    { m: 'abc'.match(/b/) },
    "state.m.groups: a named property of an Array can't be kept",
  ],
  [
    'a Map with a property',
    Object.assign(new Map(), { size2: 1 }),
    "state.size2: a named property of a Map can't be kept",
  ],
  [
    'something in a Map',
    { m: new Map([['odd key', { f: Symbol.iterator }]]) },
    'state.m.get("odd key").f: a symbol can\'t be kept',
  ],
  [
    'something in a Map under a number',
    { m: new Map([[7, Symbol.iterator]]) },
    "state.m.get(7): a symbol can't be kept",
  ],
  [
    'something in a Map under an object',
    { m: new Map([[{}, Symbol.iterator]]) },
    "state.m.values()[0]: a symbol can't be kept",
  ],
  [
    'a key of a Map',
    { m: new Map([[Symbol.iterator, 1]]) },
    "state.m.keys()[0]: a symbol can't be kept",
  ],
  [
    'something in a Set',
    { s: new Set([1, Symbol.iterator]) },
    "state.s[1]: a symbol can't be kept",
  ],
  [
    'something in an error',
    { e: Object.assign(new Error('x'), { request: { socket: new Unregistered() } }) },
    'state.e.request.socket: class Unregistered is not registered',
  ],
  [
    'a getter of an error',
    Object.defineProperty(new Error('x'), 'req', { get: () => 1, enumerable: true }),
    "state.req: an accessor can't be kept; use its value",
  ],
  [
    'the cause of an error',
    new Error('x', { cause: Symbol.iterator }),
    "state.cause: a symbol can't be kept",
  ],
  [
    'under odd keys',
    { 'odd key': [{ '0a': { ok_1$: { é: Symbol.iterator } } }] },
    'state["odd key"][0]["0a"].ok_1$.é: a symbol can\'t be kept',
  ],
  ['a cycle', cyclic, 'state.a.b: a cycle back to state'],
  ['a cycle through a Map', { m: cyclicMap }, 'state.m.get("me")[0]: a cycle back to state.m'],
]

describe('what is refused', () => {
  test.each(refused)('S176 %s is refused with its path', (_name, value, message) => {
    const error = refusal(() => encode(value, 'state'))

    expect(error.message).toBe(message)
    expect(error.code).toBe('E1312')
    expect(error.path).toBe(message.slice(0, message.indexOf(': ')))
  })

  test('L87 a cycle is refused, wherever it closes', () => {
    const value: Record<string, unknown> = { list: [{ name: 'a' }] }
    value['list'] = [{ parent: { value } }]

    expect(refusal(() => encode({ value }, 'state')).message).toBe(
      'state.value.list[0].parent.value: a cycle back to state.value',
    )
  })

  test.each([
    'Map',
    'ArrayBuffer',
    'Float64Array',
    'URL',
    'Date',
    'Uint8Array',
    'DataView',
    'RegExp',
  ] as const)('an object with only the prototype of %s is refused', (name) => {
    const fake: unknown = Object.create(globalThis[name].prototype)

    expect(refusal(() => encode({ fake }, 'state')).message).toMatch(
      new RegExp(`^state\\.fake: ${name} can't be read: TypeError`),
    )
  })

  test('a class registered under the name of a built-in one does not stand for it', () => {
    class Promised {
      readonly a = 1
    }
    registerType('Promise', Promised, { serialize: () => 1, deserialize: () => new Promised() })

    expect(refusal(() => encode(Promise.resolve(), 'state')).message).toBe(
      "state: a Promise can't be kept; await it first",
    )
  })

  test('a path without a root starts at the first key', () => {
    expect(refusal(() => encode({ a: [Symbol.iterator] }, '')).path).toBe('a[0]')
  })

  test.each([
    ['objects', (inner: unknown) => ({ inner })],
    ['arrays', (inner: unknown) => [inner]],
    ['maps', (inner: unknown) => new Map([[1, inner]])],
    ['errors', (cause: unknown) => new Error('x', { cause })],
  ])('10,000 levels of %s are refused, without a stack overflow', (_name, wrap) => {
    let value: unknown = 1
    for (let level = 0; level < 10_000; level += 1) value = wrap(value)

    expect(refusal(() => encode(value, 'state')).message).toMatch(
      /…: nested more than 1,000 levels deep$/,
    )
  })

  test('1,000 levels are kept', () => {
    let value: unknown = 1
    for (let level = 0; level < 1_000; level += 1) value = { value }

    expect(reread(value)).toEqual(value)
  })
})

describe('what is read', () => {
  test('B38 an unknown type is an error that names its place and its tag', () => {
    const error = misread('{"order":{"total":{"$type":"Coin","value":1}}}')

    expect(error.message).toBe('t1.json: state.order.total: unknown type "Coin"')
    expect(error.code).toBe('E1308')
    expect(error.hint).toContain('registerType("Coin"')
  })

  test.each([
    '{"$type":5,"value":1}',
    '{"$type":null}',
    '{"$type":"Date"}',
    '{"$type":"Date","value":5}',
    '{"$type":"Date","value":"2024-01-01"}',
    '{"$type":"Date","value":"never"}',
    '{"$type":"Date","value":null,"more":1}',
    '{"$type":"undefined","value":1}',
    '{"$type":"number","value":"1"}',
    '{"$type":"number","value":["NaN"]}',
    '{"$type":"number"}',
    '{"$type":"bigint","value":"1.5"}',
    '{"$type":"bigint","value":"-0"}',
    '{"$type":"bigint","value":"0x10"}',
    '{"$type":"bigint","value":7}',
    '{"$type":"Object","value":[]}',
    '{"$type":"Object"}',
    '{"$type":"null-prototype","value":null}',
    '{"$type":"Map","value":{"a":1}}',
    '{"$type":"Map","value":[["a"]]}',
    '{"$type":"Map","value":[["a",1],["a",2]]}',
    '{"$type":"Set","value":"abc"}',
    '{"$type":"Set","value":[1,1]}',
    '{"$type":"RegExp","value":"/(/"}',
    '{"$type":"RegExp","value":"/a/gg"}',
    '{"$type":"RegExp","value":"/a/ig"}',
    '{"$type":"RegExp","value":"a"}',
    '{"$type":"RegExp","value":1}',
    '{"$type":"URL","value":"nowhere"}',
    '{"$type":"URL","value":"HTTP://A.B"}',
    '{"$type":"Uint8Array","value":"a"}',
    '{"$type":"Uint8Array","value":"AAA"}',
    '{"$type":"Uint8Array","value":"a b="}',
    '{"$type":"Buffer","value":[1]}',
    '{"$type":"Int8Array","value":[300]}',
    '{"$type":"Int8Array","value":["1"]}',
    '{"$type":"Float64Array","value":"AAAA"}',
    '{"$type":"BigInt64Array","value":["9223372036854775808"]}',
    '{"$type":"BigInt64Array","value":[1]}',
    '{"$type":"BigInt64Array","value":{}}',
    '{"$type":"Error","value":"text"}',
    '{"$type":"Error","value":[]}',
    '{"$type":"Error","value":{"constructor":1}}',
    '{"$type":"Error","value":{"props":1}}',
    '{"$type":"codec.Money","value":null}',
    '{"$type":"__proto__","value":1}',
    '{"$type":"constructor","value":1}',
    '{"$type":"hasOwnProperty","value":1}',
  ])('B38 a tag that does not fit is an error, never a part: %s', (text) => {
    const error = misread(`{"list":[1,${text}]}`)

    expect(error.path).toBe('t1.json: state.list[1]')
    expect(error.code).toBe('E1308')
  })

  test('a class registered under a tag makes only its own instances', () => {
    class Odd {
      readonly a = 1
    }
    registerType('codec.Odd', Odd, { serialize: () => 1, deserialize: () => ({}) })

    expect(misread('{"$type":"codec.Odd","value":1}').message).toContain('no instance of the class')
  })

  test('L88 forged records are plain data, and nothing is run', () => {
    const text =
      '{"lc":1,"type":"constructor","id":["child_process","exec"],"kwargs":{"command":"exit 1"},' +
      '"constructor":{"prototype":{"polluted":1}},"__proto__":{"polluted":1},"then":"x","toJSON":"y",' +
      '"$ref":"#/x","json":{},"meta":{"values":{"a":["Date"]}}}'

    const read = decode(ofJson(text))

    expect(JSON.stringify(read)).toBe(text)
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })

  test('L88 forged properties of an error stay properties', () => {
    const read = decode(
      ofJson(
        '{"$type":"Error","value":{"message":"x","props":{"__proto__":{"polluted":1},"constructor":"y"}}}',
      ),
    )

    expect(Object.getPrototypeOf(read)).toBe(Error.prototype)
    expect(read).not.toHaveProperty('polluted')
  })

  test('O08 an own __proto__ stays data', () => {
    const read = reread(
      Object.assign(ofJson('{"__proto__":{"isAdmin":true}}') as object, { at: new Date(0) }),
    )

    expect(read).not.toHaveProperty('isAdmin')
    expect(Object.hasOwn(read as object, '__proto__')).toBe(true)
  })

  test('a text nested 10,000 levels deep is refused', () => {
    const text = `${'['.repeat(10_000)}${']'.repeat(10_000)}`

    expect(misread(text).message).toMatch(/nested more than 1,000 levels deep$/)
  })
})
