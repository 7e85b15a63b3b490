import { describe, expect, test } from 'vitest'

import { pickFlow } from '../../../src/cli/load/exported-flow.ts'

const graph = (version = 1): object => ({
  [Symbol.for('hexagon.flow')]: { kind: 'graph', version },
  name: 'g',
  run: () => 1,
})

const f = (): number => 1
const g = graph()

class Counter {
  readonly count = 1
}

describe('the flow of a module', () => {
  test.each([
    ['a function', { default: f }, f],
    ['a graph', { default: g }, g],
    ['a graph of CommonJS', { default: { default: g }, other: 1 }, g],
    ['a graph that is all there is', { default: g, name: 'g' }, g],
  ])('may be %s', (_what, namespace, expected) => {
    expect(pickFlow(namespace, 'default', 'f.ts')).toBe(expected)
  })

  test('may have a name, also in CommonJS', () => {
    expect(pickFlow({ named: g, default: f }, 'named', 'f.ts')).toBe(g)
    expect(pickFlow({ default: { named: g } }, 'named', 'f.ts')).toBe(g)
  })

  test.each([
    ['a value', { default: 1 }, 'default'],
    ['a class', { default: Counter }, 'default'],
    ['nothing', {}, 'default'],
    ['a method of a graph', { default: g }, 'run'],
    ['another name', { other: g }, 'named'],
  ])('is not %s', (_what, namespace, name) => {
    expect(() => pickFlow(namespace, name, 'f.ts')).toThrow(
      expect.objectContaining({ code: 'E1111' }),
    )
  })

  test('when there is none, the exports are listed and one is offered', () => {
    expect(() => pickFlow({ a: 1, b: f, __esModule: true }, 'default', 'flows/f.ts')).toThrow(
      expect.objectContaining({
        message: 'flows/f.ts has no default export that is a flow. Exports: a, b',
        hint: 'Use flows/f.ts#b',
      }),
    )
  })

  test('must be of this major version', () => {
    expect(() => pickFlow({ default: graph(2) }, 'default', 'f.ts')).toThrow(
      expect.objectContaining({ code: 'E1112', message: expect.stringContaining('"g"') }),
    )
  })
})
