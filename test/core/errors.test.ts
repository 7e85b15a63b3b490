import { describe, expect, test } from 'vitest'

import { messageOf } from '../../src/core/errors.ts'
import { nearest } from '../../src/core/nearest.ts'
import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  CancelledError,
  DamagedError,
  DefinitionError,
  FencedError,
  FlowChangedError,
  HexagonError,
  InterruptTimeoutError,
  InvalidAnswerError,
  isHexagonError,
  NewerFormatError,
  NodeError,
  NoScopeError,
  NoStoreError,
  ReplayMismatchError,
  segment,
  SerializationError,
  StaleAnswerError,
  StaleFenceError,
  StaleVersionError,
  StepLimitError,
  StoreWriteError,
  ThreadClosedError,
  ThreadExistsError,
  ThreadLockedError,
  UnknownInterruptError,
  UnknownNameError,
  UnknownThreadError,
  UpdateConflictError,
} from '../../src/index.ts'

const open = [{ id: 'i_1', kind: 'approval', message: 'ok?' }]
const holder = { pid: 7, host: 'box', since: '2024-01-01T00:00:00.000Z' }

const all: readonly (readonly [HexagonError, string])[] = [
  [new DefinitionError('f', ['a', 'b']), 'E1118'],
  [new NodeError([segment('node', 'a')], new Error('x')), 'E1401'],
  [new StepLimitError(10_000, ['a']), 'E1402'],
  [new UpdateConflictError('k', ['a', 'b']), 'E2101'],
  [new UnknownNameError({ kind: 'node', name: 'x', where: 'w', known: ['y'] }), 'E2102'],
  [new SerializationError('p', 'x'), 'E1312'],
  [new NoScopeError('interrupt()', 'outside a flow'), 'E2103'],
  [new ReplayMismatchError('a', 'b', 'w'), 'E2104'],
  [new FencedError('w'), 'E2105'],
  [new UnknownThreadError('t', ['u']), 'E1301'],
  [new ThreadExistsError('t', 'suspended'), 'E1314'],
  [new ThreadClosedError('t', 'completed'), 'E1303'],
  [new ThreadLockedError('t', holder), 'E1306'],
  [new UnknownInterruptError('i', open), 'E1214'],
  [new AlreadyAnsweredError('i', { by: 'ann', at: 'now' }, open), 'E1307'],
  [new AmbiguousAnswerError(open), 'E1215'],
  [new InvalidAnswerError('E1203', 's', [{ path: 'a[0]', message: 'm' }]), 'E1203'],
  [new StaleAnswerError('i', {}, 'w'), 'E1319'],
  [new FlowChangedError('m', {}), 'E1304'],
  [new InterruptTimeoutError('i', 'then'), 'E1408'],
  [new CancelledError('r'), 'E2106'],
  [new StaleVersionError('t', 3, 5), 'E1307'],
  [new StaleFenceError('t'), 'E1306'],
  [new DamagedError('f', 'p'), 'E1308'],
  [new NewerFormatError('f', 9), 'E1309'],
  [new StoreWriteError('E1310', 'm'), 'E1310'],
  [new NoStoreError('w'), 'E2107'],
]

describe('errors', () => {
  test.each(all.map(([error, code]) => [error.name, error, code] as const))(
    '%s carries its name, its code and plain details',
    (name, error, code) => {
      expect(error).toBeInstanceOf(HexagonError)
      expect(error).toBeInstanceOf(Error)
      expect(error.code).toBe(code)
      expect(error.constructor.name).toBe(name)
      expect(error.message).not.toBe('')
      expect(JSON.parse(JSON.stringify(error.details))).toEqual(error.details)
      expect(isHexagonError(error)).toBe(true)
    },
  )

  test('an error of another copy of the package is recognised by its brand, its class by its name', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('hexagon.error')]: true })

    expect(isHexagonError(foreign)).toBe(true)
    expect(foreign).toBeInstanceOf(HexagonError)
    expect(foreign).not.toBeInstanceOf(InterruptTimeoutError)
    const late = Object.assign(foreign, { name: 'InterruptTimeoutError' })
    expect(late).toBeInstanceOf(InterruptTimeoutError)
    expect(late).not.toBeInstanceOf(CancelledError)
    for (const value of [new Error('x'), null, undefined, 'x', {}])
      expect(isHexagonError(value)).toBe(false)
  })

  test('a cause is kept', () => {
    const cause = new TypeError('inner')
    const error = new NodeError([segment('node', 'a')], cause)

    expect(error.cause).toBe(cause)
    expect(error.message).toBe('node:a failed: inner')
    expect('cause' in new HexagonError('E', 'm')).toBe(false)
  })

  test('an unknown name suggests the nearest one, or tells what is known', () => {
    const hint = (name: string, known: string[]): string | undefined =>
      new UnknownNameError({ kind: 'node', name, where: 'w', known }).hint

    expect(hint('reserch', ['plan', 'research'])).toBe('Did you mean "research"?')
    expect(hint('zzz', ['plan', 'research'])).toBe('Known: plan, research.')
    expect(hint('zzz', [])).toBe('Known: none.')
  })

  test('what is open is listed up to ten', () => {
    const many = Array.from({ length: 12 }, (_, n) => ({
      id: `i_${n}`,
      kind: 'input',
      message: 'm',
    }))

    expect(new AmbiguousAnswerError(many).hint).toMatch(/i_9 .*, and 2 more$/u)
    expect(new UnknownInterruptError('x', []).hint).toBeUndefined()
  })

  test('the nearest name is near', () => {
    expect(nearest('colect', ['collect', 'publish'])).toBe('collect')
    expect(nearest('COLLECT', ['collect'])).toBeUndefined()
    expect(nearest('abc', ['xyz', 'a'])).toBe('a')
    expect(nearest('', ['x'])).toBe('x')
    expect(nearest('summarise_all', ['summarize_all', 'summary'])).toBe('summarize_all')
    expect(nearest('x', [])).toBeUndefined()
  })

  test('anything thrown has a message', () => {
    expect(messageOf(new Error('m'))).toBe('m')
    expect(messageOf('text')).toBe('text')
    expect(messageOf(undefined)).toBe('undefined')
  })
})
