import { describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  CompositeError,
  compositeInterrupt,
  findSignal,
  fromInterruptContexts,
  InterruptSignal,
  interruptSignal,
  isInterruptSignal,
  sameInterruptContext,
  segment,
  SerializationError,
  signalToPersistenceMaps,
  statefulInterrupt,
  toInterruptContexts,
  type SignalContext,
} from '../../src/index.ts'

/** What `body` makes in the frame of `node:<id>`. */
function inNode<T>(id: string, body: () => T): T {
  return appendAddressSegment('node', id, undefined, body)
}

/** composite(state P){ leaf a (state A), leaf b }, in node p. */
function family(): InterruptSignal {
  return inNode('p', () =>
    compositeInterrupt('gathered', 'P', [
      inNode('a', () => statefulInterrupt('ask a', 'A')),
      inNode('b', () => interruptSignal('ask b')),
    ]),
  )
}

function contextOf(parts: Partial<SignalContext> = {}): SignalContext {
  return {
    id: 'i1',
    address: [segment('node', 'x')],
    info: { question: 'Go on?' },
    isRootCause: true,
    parent: null,
    ...parts,
  }
}

describe('a signal', () => {
  test('S09 says where it was made and what it asks', () => {
    const [first, second] = inNode('x', () => [interruptSignal('I'), interruptSignal('I')])

    expect(first).toBeInstanceOf(Error)
    expect(first).toMatchObject({
      address: [{ type: 'node', id: 'x' }],
      info: 'I',
      isRootCause: true,
      state: undefined,
      subs: [],
    })
    expect(first?.id).not.toBe('')
    expect(second?.id).not.toBe(first?.id)
  })

  test('S10 keeps state beside what it asks', () => {
    const info = { ask: 'Go on?' }
    const state = { at: 3 }
    const signal = inNode('x', () => statefulInterrupt(info, state))
    info.ask = 'changed'
    state.at = 4

    expect(signal.info).toEqual({ ask: 'Go on?' })
    expect(signal.state).toEqual({ value: { at: 3 } })
  })

  test('S11 gathers its children in order', () => {
    const signal = family()

    expect(signal.isRootCause).toBe(false)
    expect(signal.subs.map(({ info }) => info)).toEqual(['ask a', 'ask b'])
    expect(signal.address).toEqual([segment('node', 'p')])
    expect(signal.info).toBe('gathered')
  })

  test('without children a composite asks itself', () => {
    const signal = inNode('p', () => compositeInterrupt('anything?', { done: 1 }, []))

    expect(signal).toMatchObject({ isRootCause: true, state: { value: { done: 1 } } })
  })

  test('S12 does not cover up an ordinary error beside it', () => {
    const broken = new Error('disk full')
    const made = inNode('p', () => compositeInterrupt('both', { done: 1 }, [family(), broken]))

    expect(made).toBeInstanceOf(CompositeError)
    expect(made.message).toContain('disk full')
    expect((made as CompositeError).errors).toContain(broken)
    expect(findSignal(made)).toMatchObject({ info: 'both', state: { value: { done: 1 } } })
    const asked = toInterruptContexts((made as CompositeError).signal ?? family())
    expect(asked.map(({ info }) => info)).toEqual(['ask a', 'ask b'])
  })

  test('S12 is not made when there are only ordinary errors', () => {
    const made = compositeInterrupt('both', undefined, [new Error('a'), 'b', undefined, null])

    expect(made).toBeInstanceOf(CompositeError)
    expect(made.message).toBe('a; b')
    expect(isInterruptSignal(made)).toBe(false)
  })

  test('S14 is found below ordinary errors', () => {
    const signal = interruptSignal('I')
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: signal }) })

    expect(isInterruptSignal(signal)).toBe(true)
    expect(isInterruptSignal(wrapped)).toBe(true)
    expect(findSignal(wrapped)).toBe(signal)
    expect(findSignal(new AggregateError([new Error('x'), signal]))).toBe(signal)
    expect(isInterruptSignal(new Error('plain'))).toBe(false)
    expect(isInterruptSignal(null)).toBe(false)
    expect(isInterruptSignal('text')).toBe(false)
  })

  test('S14 is taken out of the errors that wrap it', () => {
    const leaf = interruptSignal('I')
    const made = compositeInterrupt('one', undefined, [new Error('wrapped', { cause: leaf })])

    expect(made).toBeInstanceOf(InterruptSignal)
    expect((made as InterruptSignal).subs).toEqual([leaf])
  })

  test('S176 refuses what cannot be kept, with its path', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle

    expect(() => interruptSignal({ cycle })).toThrow(SerializationError)
    expect(() => interruptSignal({ cycle })).toThrow(/info\.cycle\.self/u)
    expect(() => statefulInterrupt('ask', { run: () => 1 })).toThrow(/state\.run/u)
    const kept = { at: new Date(0), big: 10n, bytes: new Uint8Array([1]), none: undefined }
    expect(statefulInterrupt('ask', kept).state?.value).toEqual(kept)
  })
})

describe('the maps of a tree', () => {
  test('S15 hold every node, also one without state', () => {
    const { id2Addr, id2State } = signalToPersistenceMaps(family())
    const ids = Object.keys(id2Addr)

    expect(ids).toHaveLength(3)
    expect(ids.map((id) => id2State[id])).toEqual(['P', 'A', undefined])
    expect(ids.every((id) => id in id2State)).toBe(true)
    expect('never interrupted' in id2State).toBe(false)
  })
})

describe('the contexts of a tree', () => {
  test('S16 are its leaves, below one and the same parent', () => {
    const [a, b, ...others] = toInterruptContexts(family())

    expect(others).toEqual([])
    expect([a?.info, b?.info]).toEqual(['ask a', 'ask b'])
    expect([a?.isRootCause, b?.isRootCause]).toEqual([true, true])
    expect(a?.parent?.info).toBe('gathered')
    expect(a?.parent).toBe(b?.parent)
    expect(a?.parent?.parent).toBeNull()
  })

  test('are all of its nodes when asked for', () => {
    const all = toInterruptContexts(family(), { all: true })

    expect(all.map(({ info }) => info)).toEqual(['gathered', 'ask a', 'ask b'])
  })

  test('S17 leave out the segments that are not wanted', () => {
    const signal = appendAddressSegment('agent', 'A', undefined, () =>
      compositeInterrupt('agent', undefined, [
        inNode('n', () =>
          compositeInterrupt('node', undefined, [
            appendAddressSegment('tool', 't', 'c1', () => interruptSignal('tool')),
          ]),
        ),
      ]),
    )
    const seen = toInterruptContexts(signal, 'agent', 'tool')

    expect(seen).toHaveLength(1)
    expect(seen[0]?.address).toEqual([segment('agent', 'A'), segment('tool', 't', 'c1')])
    expect(seen[0]?.parent).toMatchObject({ info: 'agent', address: [segment('agent', 'A')] })
    expect(seen[0]?.parent?.parent).toBeNull()
  })

  test('S19 are compared without their ids', () => {
    const parent = contextOf({ id: 'p', info: 'parent', isRootCause: false })
    const context = contextOf({ parent })
    const twin = contextOf({ id: 'other', parent: { ...parent, id: 'q' } })

    expect(sameInterruptContext(context, twin)).toBe(true)
    expect(sameInterruptContext(context, { ...twin, info: { question: 'Stop?' } })).toBe(false)
    expect(sameInterruptContext(context, { ...twin, address: [] })).toBe(false)
    expect(sameInterruptContext(context, { ...twin, isRootCause: false })).toBe(false)
    expect(sameInterruptContext(context, { ...twin, parent: { ...parent, info: 'x' } })).toBe(false)
    expect(sameInterruptContext(context, { ...twin, parent: null })).toBe(false)
    expect(sameInterruptContext(undefined, null)).toBe(true)
    expect(sameInterruptContext(context, undefined)).toBe(false)
  })

  test('S20 make their tree again', () => {
    const contexts = toInterruptContexts(family())
    const tree = fromInterruptContexts(contexts)

    expect(tree).toMatchObject({ info: 'gathered', isRootCause: false })
    expect(tree?.subs.map(({ id }) => id)).toEqual(contexts.map(({ id }) => id))
    expect(toInterruptContexts(tree as InterruptSignal)).toEqual(contexts)
    expect(fromInterruptContexts([contextOf()])).toMatchObject({ id: 'i1', subs: [] })
    expect(fromInterruptContexts([])).toBeUndefined()
  })

  test('S20 without a common parent get one at their common address', () => {
    const tree = fromInterruptContexts([
      contextOf({ id: 'a', address: [segment('node', 'x'), segment('node', 'y')] }),
      contextOf({ id: 'b', address: [segment('node', 'x'), segment('node', 'z')] }),
    ])

    expect(tree?.subs.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(tree?.address).toEqual([segment('node', 'x')])
  })
})
