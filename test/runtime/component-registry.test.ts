import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  appendAddressSegment,
  batchResumeWithData,
  compositeInterrupt,
  getInterruptState,
  getResumeContext,
  getResumption,
  HexagonError,
  interruptSignal,
  InvalidAnswerError,
  populateResumeInfo,
  resume,
  resumeWithData,
  segment,
  signalToPersistenceMaps,
  statefulInterrupt,
  UnknownInterruptError,
  withResumeInfo,
  type Address,
  type InterruptState,
  type ResumeContext,
} from '../../src/index.ts'

const x: Address = [segment('node', 'x')]
const y: Address = [segment('node', 'y')]

type Told = InterruptState<unknown> & ResumeContext<unknown>

function told(): Told {
  return { ...getInterruptState(), ...getResumeContext() }
}

/** What a frame at `address` is told, entered from outside all of its segments. */
function enter<T>(address: Address, body: () => T): T {
  const [first, ...rest] = address
  if (first === undefined) return body()
  return appendAddressSegment(first.type, first.id, first.subId, () => enter(rest, body))
}

const NOTHING: Told = {
  wasInterrupted: false,
  hasState: false,
  state: undefined,
  isResumeTarget: false,
  hasData: false,
  data: undefined,
}

describe('a frame', () => {
  test('S21 is handed exactly its own state after a round trip through the maps', () => {
    const made = enter([segment('node', 'p')], () =>
      compositeInterrupt('gathered', { of: 'p' }, [
        enter([segment('node', 'a')], () => statefulInterrupt('ask a', { of: 'a' })),
        enter([segment('node', 'b')], () => interruptSignal('ask b')),
      ]),
    )
    const { id2Addr, id2State } = JSON.parse(
      JSON.stringify(signalToPersistenceMaps(made)),
    ) as ReturnType<typeof signalToPersistenceMaps>

    withResumeInfo(() => {
      populateResumeInfo(id2Addr, id2State)
      enter([segment('node', 'p')], () => {
        expect(getInterruptState()).toMatchObject({ hasState: true, state: { of: 'p' } })
        expect(enter([segment('node', 'a')], told)).toMatchObject({ state: { of: 'a' } })
        expect(enter([segment('node', 'b')], told)).toEqual({ ...NOTHING, wasInterrupted: true })
        expect(enter([segment('node', 'c')], told)).toEqual(NOTHING)
      })
    })
  })

  test('S22 is not touched by what happens to the lists it was loaded from', () => {
    const address = [segment('node', 'x')]
    const state = { at: 1 }
    withResumeInfo(() => {
      populateResumeInfo({ i1: address }, { i1: state })
      address.push(segment('node', 'z'))
      state.at = 2

      expect(enter(x, told)).toMatchObject({ wasInterrupted: true, state: { at: 1 } })
    })
  })

  test('S24 S25 is handed state and data once', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x }, { i1: 7 })
      resumeWithData('i1', 'go')

      expect(enter(x, told)).toEqual({
        wasInterrupted: true,
        hasState: true,
        state: 7,
        isResumeTarget: true,
        hasData: true,
        data: 'go',
      })
      expect(enter(x, told)).toEqual(NOTHING)
    })
  })

  test('S25 is handed nothing at a second visit in the same run', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x, i2: x }, { i1: 7 })
      resumeWithData('i1', 'go')
      resumeWithData('i2', 'later')
      enter(x, told)

      // The first visit took the first; the second takes the other, and then nothing is left.
      expect(enter(x, told)).toMatchObject({ hasState: false, data: 'later' })
      expect(enter(x, told)).toEqual(NOTHING)
    })
  })

  test('reads what it was handed as often as it likes', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x }, { i1: { at: 1 } })
      resumeWithData('i1', 'go')
      enter(x, () => {
        const { state } = getInterruptState<{ at: number }>()
        if (state !== undefined) state.at = 9

        expect(getInterruptState().state).toEqual({ at: 1 })
        expect(getResumeContext().data).toBe('go')
        expect(getResumption()).toMatchObject({ kind: 'answered', data: 'go' })
      })
    })
  })

  test('S26 above a target is a conduit without data, a sibling is none', () => {
    const a = [segment('node', 'a')]
    const b = [segment('node', 'b')]
    withResumeInfo(() => {
      populateResumeInfo({ i1: [...a, ...b, segment('node', 'c')] })
      resumeWithData('i1', 'go')
      enter(a, () => {
        expect(told()).toEqual({ ...NOTHING, isResumeTarget: true })
        expect(enter([segment('node', 'z')], told)).toEqual(NOTHING)
        enter(b, () => {
          expect(told()).toEqual({ ...NOTHING, isResumeTarget: true })
          expect(enter([segment('node', 'c')], told)).toMatchObject({
            isResumeTarget: true,
            hasData: true,
            data: 'go',
          })
        })
      })
    })
  })

  test('S27 that is not named waits with its state', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x, i2: y }, { i2: 'kept' })
      resumeWithData('i1', 'go')

      expect(enter(y, told)).toEqual({
        ...NOTHING,
        wasInterrupted: true,
        hasState: true,
        state: 'kept',
      })
    })
  })

  test('S28 is no conduit any more when what was named below it is handed out', () => {
    const p = [segment('node', 'p')]
    const a = [segment('node', 'a')]
    withResumeInfo(() => {
      populateResumeInfo({ ip: p, ia: [...p, ...a], ib: [...p, segment('node', 'b')] })
      resumeWithData('ia', 'go')
      enter(p, () => {
        expect(told()).toMatchObject({ wasInterrupted: true, isResumeTarget: true, hasData: false })
        enter(a, () => getResumeContext())
      })

      expect(enter(p, () => getResumeContext().isResumeTarget)).toBe(false)
    })
  })

  test('S29 may be named without data', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x }, { i1: 7 })
      resume('i1')

      enter(x, () => {
        expect(told()).toMatchObject({ isResumeTarget: true, hasData: false, data: undefined })
        expect(getResumption()).toEqual({ kind: 'continued', state: { value: 7 } })
      })
    })
  })

  test.each([false, 0, '', null, [], {}])('takes %j as data', (data) => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x })
      resumeWithData('i1', data)

      expect(enter(x, told)).toMatchObject({ hasData: true, data })
    })
  })

  test('S30 says what is wrong with data it does not take', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x, i2: x, i3: x })
      batchResumeWithData({ i1: { count: 'three' }, i2: 'text', i3: 3 })

      enter(x, () => {
        const read = (): unknown => getResumeContext(z.object({ count: z.number() }))
        expect(read).toThrow(InvalidAnswerError)
        expect(read).toThrow(/"i1".*count/u)
      })
      enter(x, () => {
        expect(() => getResumeContext(Number)).toThrow(/a Number is wanted, got a string/u)
        expect(getResumeContext(String).data).toBe('text')
      })
      expect(enter(x, () => getResumeContext(Number))).toMatchObject({ hasData: true, data: 3 })
    })
  })

  test('S30 says so for state of another kind too', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x }, { i1: 'old format' })

      enter(x, () => {
        expect(() => getInterruptState(z.object({ at: z.number() }))).toThrow(HexagonError)
        expect(getInterruptState().wasInterrupted).toBe(true)
      })
    })
  })

  test('S31 does not care whether targets or maps come first', () => {
    const load = (): void => populateResumeInfo({ i1: x }, { i1: 7 })
    const aim = (): void => resumeWithData('i1', 'go')
    const order = (first: () => void, second: () => void): Told =>
      withResumeInfo(() => {
        first()
        second()
        return enter(x, told)
      })

    expect(order(load, aim)).toEqual(order(aim, load))
    expect(order(aim, load)).toMatchObject({ state: 7, data: 'go' })
  })

  test('S32 keeps what was loaded before', () => {
    withResumeInfo(() => {
      populateResumeInfo({ outer: x }, { outer: 1 })
      resumeWithData('outer', 'o')
      populateResumeInfo({ inner: y }, { inner: 2 })
      populateResumeInfo({ outer: x })
      resumeWithData('inner', 'i')

      expect(enter(x, told)).toMatchObject({ state: 1, data: 'o' })
      expect(enter(y, told)).toMatchObject({ state: 2, data: 'i' })
    })
  })

  test('S34 takes the last word for an id', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x, i2: y })
      batchResumeWithData({ i1: 'first', i2: 'only' })
      batchResumeWithData(new Map([['i1', 'last']]))

      expect(enter(x, () => getResumeContext().data)).toBe('last')
      expect(enter(y, () => getResumeContext().data)).toBe('only')
    })
  })

  test('S35 is never named by an empty id', () => {
    withResumeInfo(() => {
      expect(() => resume('')).toThrow(UnknownInterruptError)
      expect(() => resumeWithData('', 1)).toThrow(UnknownInterruptError)
      expect(() => populateResumeInfo({ '': x })).toThrow(UnknownInterruptError)
    })
  })

  test('S36 is handed what was recorded first, a second one the next', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x, i2: x }, { i1: 1, i2: 2 })
      resumeWithData('i2', 'second')

      expect(enter(x, told)).toMatchObject({ state: 1, isResumeTarget: false })
      expect(enter(x, told)).toMatchObject({ state: 2, data: 'second' })
      expect(enter(x, told)).toEqual(NOTHING)
    })
  })

  test('raises a question that is still open under its id', () => {
    withResumeInfo(() => {
      populateResumeInfo({ i1: x })
      const [again, another] = enter(x, () => [interruptSignal('?'), interruptSignal('?')])

      expect(again?.id).toBe('i1')
      expect(another?.id).not.toBe('i1')
    })
  })
})

describe('many frames', () => {
  test('S180 cost the same each, however many are recorded', () => {
    const count = 10_000
    const at = (index: number): Address => [segment('node', 'wall'), segment('brick', `${index}`)]
    withResumeInfo(() => {
      populateResumeInfo(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`i${index}`, at(index)])),
      )
      enter([segment('node', 'wall')], () => {
        for (let index = 0; index < count; index += 1) {
          resumeWithData(`i${index}`, index)
          const [, brick] = at(index)
          const { data } = enter(brick === undefined ? [] : [brick], () => getResumeContext())
          if (data !== index) throw new Error(`brick ${index} got ${String(data)}`)
        }
      })

      expect(enter(at(0), told)).toEqual(NOTHING)
    })
  })
})
