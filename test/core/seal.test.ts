import { describe, expect, test } from 'vitest'

import { encode } from '../../src/core/codec.ts'
import { SerializationError } from '../../src/core/errors.ts'
import { copyOf, isExotic, seal } from '../../src/core/seal.ts'
import { registerType } from '../../src/core/value-type.ts'
import { difference } from './difference.ts'

class Cart {
  readonly items: string[]

  constructor(items: string[]) {
    this.items = items
  }

  add(item: string): void {
    this.items.push(item)
  }
}

registerType('seal.Cart', Cart, {
  serialize: (cart) => ({ items: cart.items }),
  deserialize: ({ items }) => new Cart(items),
})

/** What a refusal says. */
function words(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof SerializationError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a sealed value', () => {
  test('is a copy, frozen at every depth', () => {
    const value = { a: [{ b: 1 }], c: { d: 'x' } }

    const sealed = seal(value)
    value.a.push({ b: 2 })

    expect(sealed).toEqual({ a: [{ b: 1 }], c: { d: 'x' } })
    expect(() => sealed.a.push({ b: 3 })).toThrow(TypeError)
    expect(() => Object.assign(sealed.c, { d: 'y' })).toThrow(TypeError)
  })

  test('is a copy also where the value was frozen from outside', () => {
    const list = [1]
    const value = Object.freeze({ list })

    const sealed = seal(value)
    list.push(2)

    expect(sealed).toEqual({ list: [1] })
  })

  test.each([1, -0, Number.NaN, 'x', true, null, undefined, 10n])('%s is itself', (value) => {
    expect(seal(value)).toBe(value)
    expect(isExotic(value)).toBe(false)
    expect(copyOf(value)).toBe(value)
  })

  test('is kept by reference when it is sealed again', () => {
    const sealed = seal({ a: [1n], b: { c: undefined } })

    expect(seal(sealed)).toBe(sealed)
    expect(seal({ more: sealed })).toHaveProperty('more', sealed)
    expect(seal([...sealed.a, 2n])).not.toBe(sealed.a)
  })

  test('lends its sealed parts to a new one', () => {
    const first = seal(Array.from({ length: 100 }, (_, index) => ({ index })))

    const second = seal([...first, { index: 100 }])

    expect(second.slice(0, 100).every((element, index) => element === first[index])).toBe(true)
    expect(Object.isFrozen(second[100])).toBe(true)
  })

  test('keeps an own __proto__ as data', () => {
    const value: object = JSON.parse('{"__proto__":{"isAdmin":true},"list":[{"__proto__":1}]}')

    const sealed = seal(value)

    expect(difference(sealed, value)).toBeUndefined()
    expect(sealed).not.toHaveProperty('isAdmin')
  })

  test('is stored as it is when it is plain JSON', () => {
    const sealed = seal({ a: [{ b: 1 }] })

    expect(encode(sealed)).toBe(sealed)
  })

  test('is stored with tags when it needs them', () => {
    const sealed = seal({ none: undefined, tag: { $type: 'x' }, bare: Object.create(null) })

    expect(isExotic(sealed)).toBe(false)
    expect(encode(sealed)).toEqual({
      none: { $type: 'undefined' },
      tag: { $type: 'Object', value: { $type: 'x' } },
      bare: { $type: 'null-prototype', value: {} },
    })
  })

  test('shows nothing of its mark', () => {
    const sealed = seal({ a: [1] })

    expect(Reflect.ownKeys(sealed)).toEqual(['a'])
    expect(Reflect.ownKeys(sealed.a)).toEqual(['0', 'length'])
    expect(sealed).toStrictEqual({ a: [1] })
  })
})

describe('what can’t be frozen', () => {
  test('is copied when it enters', () => {
    const at = new Date(0)
    const map = new Map([['a', [1]]])
    const bytes = Uint8Array.of(1)
    const sealed = seal({ at, map, bytes })

    at.setTime(5)
    map.set('b', [2])
    map.get('a')?.push(3)
    bytes[0] = 9

    expect(sealed).toEqual({ at: new Date(0), map: new Map([['a', [1]]]), bytes: Uint8Array.of(1) })
  })

  test('is copied for each reader, and nothing else is', () => {
    const sealed = seal({ seen: new Set(['a']), deep: [{ at: new Date(0) }], plain: { a: 1 } })

    const first = copyOf(sealed)
    first.seen.add('b')
    first.deep[0]?.at.setTime(5)
    const second = copyOf(sealed)

    expect(isExotic(sealed)).toBe(true)
    expect(second).toEqual({ seen: new Set(['a']), deep: [{ at: new Date(0) }], plain: { a: 1 } })
    expect(second.plain).toBe(sealed.plain)
    expect(Object.isFrozen(second)).toBe(true)
  })

  test('holds sealed parts that its copies lend each other', () => {
    const sealed = seal(new Map([['a', { list: [1] }]]))

    const copy = copyOf(sealed)

    expect(copy).not.toBe(sealed)
    expect(copy.get('a')).toBe(sealed.get('a'))
    expect(Object.isFrozen(copy.get('a'))).toBe(true)
  })

  test('is checked again when a reader’s copy comes back', () => {
    const copy = copyOf(seal({ wrapped: { map: new Map<string, unknown>() } }))
    copy.wrapped.map.set('k', () => 1)

    expect(() => seal({ back: copy.wrapped }, 'state')).toThrow(
      'state.back.map.get("k"): a function can\'t be kept',
    )
  })

  test('a registered instance is made again from what it would be stored as', () => {
    const cart = new Cart(['a'])
    const sealed = seal({ cart })

    cart.add('b')
    const copy = copyOf(sealed)
    copy.cart.add('c')

    expect(sealed.cart).toBeInstanceOf(Cart)
    expect(sealed.cart.items).toEqual(['a'])
    expect(copy.cart.items).toEqual(['a', 'c'])
  })

  test('a Buffer and a view are copied with their bytes only', () => {
    const memory = new ArrayBuffer(8)
    const sealed = seal([
      Buffer.from(memory, 0, 2),
      new DataView(memory, 4),
      new Int16Array(memory, 2, 1),
    ])

    new Uint8Array(memory).fill(255)

    expect(
      difference(sealed, [Buffer.alloc(2), new DataView(new ArrayBuffer(4)), Int16Array.of(0)]),
    ).toBeUndefined()
  })
})

describe('refusals', () => {
  test.each([
    ['a function', { a: [() => 1] }],
    [
      'a class',
      {
        a: new (class Money {
          a = 1
        })(),
      },
    ],
    [
      'a getter',
      {
        get a() {
          return 1
        },
      },
    ],
    ['a symbol key', { [Symbol('a')]: 1 }],
    ['a hole', Object.assign([1], { 2: 3 })],
    ['a symbol in a Map', new Map([['k', [Symbol.iterator]]])],
    ['a key of a Map', new Map([[Symbol.iterator, 1]])],
    ['a Date with a property', Object.assign(new Date(0), { zone: 'UTC' })],
    ['a fake Date', Object.create(Date.prototype)],
    ['a fake Map', Object.create(Map.prototype)],
    [
      'a registered instance that holds a function',
      Object.assign(new Cart([]), { items: [() => 1] }),
    ],
    [
      'a registered instance that breaks',
      Object.create(Cart.prototype, {
        items: {
          get() {
            throw new Error('broken')
          },
        },
      }),
    ],
  ])('%s is refused in the same words as by encode', (_name, value) => {
    expect(words(() => seal(value, 'state'))).toBe(words(() => encode(value, 'state')))
  })

  test('S66 a class nobody registered is refused where it enters', () => {
    class Money {
      readonly a = 1
    }

    expect(() => seal({ order: { total: new Money() } }, 'state')).toThrow(
      'state.order.total: class Money is not registered',
    )
  })

  test('L87 a cycle is refused with its path', () => {
    const value: Record<string, unknown> = {}
    value['self'] = [value]

    expect(() => seal(value, 'state')).toThrow('state.self[0]: a cycle back to state')
  })

  test('10,000 levels are refused, without a stack overflow', () => {
    let value: unknown = 1
    for (let level = 0; level < 10_000; level += 1) value = [value]

    expect(() => seal(value)).toThrow(SerializationError)
  })

  test('a registered class that can’t be made again is refused where it enters', () => {
    class OneWay {
      readonly a = 1
    }
    registerType('seal.OneWay', OneWay, {
      serialize: () => 1,
      deserialize: () => {
        throw new Error('no way back')
      },
    })

    expect(() => seal({ a: new OneWay() }, 'state')).toThrow(
      /^state\.a: seal\.OneWay can't be read: .*no way back/,
    )
  })

  test('the cause of a refusal is what the class threw', () => {
    const cause = new Error('broken')
    class Broken {
      readonly a = 1
    }
    registerType('seal.Broken', Broken, {
      serialize: () => {
        throw cause
      },
      deserialize: () => new Broken(),
    })

    expect(() => seal(new Broken())).toThrow(expect.objectContaining({ cause }))
  })
})
