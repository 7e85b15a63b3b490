import { describe, expect, test, vi } from 'vitest'

import { decode, encode } from '../../src/core/codec.ts'
import { registerType } from '../../src/core/value-type.ts'

const plain = { serialize: () => ({}), deserialize: () => ({}) }

describe('registerType', () => {
  test('one name stands for one class', () => {
    class A {
      readonly a = 1
    }
    class B {
      readonly a = 1
    }
    registerType('type.A', A, { serialize: () => 1, deserialize: () => new A() })

    expect(() => registerType('type.A', B, plain)).toThrow(
      'registerType("type.A"): this name stands for another class',
    )
  })

  test('one class has one name', () => {
    class A {
      readonly a = 1
    }
    registerType('type.first', A, plain)

    expect(() => registerType('type.second', A, plain)).toThrow(
      'class A is registered as "type.first"',
    )
  })

  test('the same pair may be registered again, and the last word counts', () => {
    class A {
      readonly a = 1
    }
    registerType('type.again', A, { serialize: () => 1, deserialize: () => new A() })
    registerType('type.again', A, { serialize: () => 2, deserialize: () => new A() })

    expect(encode(new A())).toEqual({ $type: 'type.again', value: 2 })
  })

  test.each([
    'Date',
    'Map',
    'Buffer',
    'TypeError',
    'undefined',
    'bigint',
    'Object',
    'null-prototype',
  ])('the name %s is taken', (name) => {
    expect(() =>
      registerType(
        name,
        class A {
          readonly a = 1
        },
        plain,
      ),
    ).toThrow("this name is one of hexagon's own")
  })

  test.each([Date, Map, Uint8Array, Error, Object, Array])('%o needs no registering', (Class) => {
    expect(() => registerType(`type.${Class.name}`, Class, plain)).toThrow(
      'is kept without being registered',
    )
  })

  test('a type needs a name and a class', () => {
    expect(() =>
      registerType(
        '',
        class A {
          readonly a = 1
        },
        plain,
      ),
    ).toThrow('a type needs a name')
    expect(() =>
      registerType(
        'type.arrow',
        Object.assign(() => 1, { prototype: Object(undefined) }) && (Math.max as never),
        plain,
      ),
    ).toThrow('this is no class')
  })

  test('a refusal has a code and says what to do', () => {
    expect(() =>
      registerType(
        '',
        class A {
          readonly a = 1
        },
        plain,
      ),
    ).toThrow(
      expect.objectContaining({ code: 'E2120', hint: expect.stringContaining('one class') }),
    )
  })
})

describe('a registered class', () => {
  test('may hold any value that is kept, and another registered class', () => {
    class Line {
      readonly at: Date
      constructor(at: Date) {
        this.at = at
      }
    }
    class Order {
      readonly lines: Map<string, Line>
      constructor(lines: Map<string, Line>) {
        this.lines = lines
      }
    }
    registerType('type.Line', Line, {
      serialize: ({ at }) => at,
      deserialize: (at) => new Line(at),
    })
    registerType('type.Order', Order, {
      serialize: ({ lines }) => lines,
      deserialize: (lines) => new Order(lines),
    })
    const order = new Order(new Map([['a', new Line(new Date(0))]]))

    expect(decode(JSON.parse(JSON.stringify(encode(order))))).toStrictEqual(order)
  })

  test('may have a private constructor', () => {
    class Token {
      readonly text: string
      private constructor(text: string) {
        this.text = text
      }
      static of(text: string): Token {
        return new Token(text)
      }
    }
    registerType('type.Token', Token, {
      serialize: ({ text }) => text,
      deserialize: (text) => Token.of(text),
    })

    expect(decode(encode(Token.of('x')))).toStrictEqual(Token.of('x'))
  })

  test('may extend Error, Map or Array', () => {
    class PaymentError extends Error {
      readonly order: number
      constructor(order: number) {
        super('declined')
        this.order = order
      }
    }
    class Registry extends Map<string, number> {}
    class Stack extends Array<number> {}
    registerType('type.PaymentError', PaymentError, {
      serialize: ({ order }) => order,
      deserialize: (order) => new PaymentError(order),
    })
    registerType('type.Registry', Registry, {
      serialize: (map) => [...map],
      deserialize: (pairs) => new Registry(pairs),
    })
    registerType('type.Stack', Stack, {
      serialize: (stack) => [...stack],
      deserialize: (parts) => Stack.from(parts) as Stack,
    })

    const read = decode(
      encode([new PaymentError(7), new Registry([['a', 1]]), Stack.of(1, 2)]),
    ) as unknown[]

    expect(read[0]).toBeInstanceOf(PaymentError)
    expect(read[0]).toHaveProperty('order', 7)
    expect(read[1]).toStrictEqual(new Registry([['a', 1]]))
    expect(read[2]).toBeInstanceOf(Stack)
  })

  test('a class that is not registered and extends a registered error is kept as an error', () => {
    class Base extends RangeError {}
    class Special extends Base {}
    registerType('type.Base', Base, {
      serialize: ({ message }) => message,
      deserialize: (text) => new Base(text),
    })

    expect(encode(new Special('x'))).toMatchObject({ $type: 'RangeError', value: { message: 'x' } })
  })

  test('is known to every copy of the package in the process', async () => {
    class Shared {
      readonly n = 1
    }
    vi.resetModules()
    const other = await import('../../src/core/value-type.ts')
    expect(other.registerType).not.toBe(registerType)

    other.registerType('type.Shared', Shared, {
      serialize: ({ n }) => n,
      deserialize: () => new Shared(),
    })

    expect(encode(new Shared())).toEqual({ $type: 'type.Shared', value: 1 })
    expect(() =>
      registerType(
        'type.Shared',
        class Other {
          readonly a = 1
        },
        plain,
      ),
    ).toThrow('stands for another class')
  })
})
