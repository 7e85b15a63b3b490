import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { DeadlineTimer } from '../../src/runtime/deadline-timer.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-30T09:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The time in so many milliseconds, as questions keep it. */
const after = (ms: number): string => new Date(Date.now() + ms).toISOString()

function watching(): { timer: DeadlineTimer; due: string[] } {
  const due: string[] = []
  return { due, timer: new DeadlineTimer(Date.now, (ids) => due.push(...ids)) }
}

test('tells each deadline once, in order', () => {
  const { timer, due } = watching()
  timer.watch('late', after(2000))
  timer.watch('soon', after(1000))
  timer.watch('never', undefined)
  vi.advanceTimersByTime(999)
  expect(due).toEqual([])
  vi.advanceTimersByTime(1)
  expect(due).toEqual(['soon'])
  vi.advanceTimersByTime(60_000)

  expect(due).toEqual(['soon', 'late'])
  expect(vi.getTimerCount()).toBe(0)
})

test('deadlines further off than a timer of the platform can wait are told in time', () => {
  const { timer, due } = watching()
  const year = 365 * 86_400_000
  timer.watch('far', after(year))
  vi.advanceTimersByTime(year - 1)
  expect(due).toEqual([])
  vi.advanceTimersByTime(1)

  expect(due).toEqual(['far'])
})

test('what is forgotten, or watched with another deadline, is not told as before', () => {
  const { timer, due } = watching()
  timer.watch('gone', after(1000))
  timer.watch('moved', after(1000))
  timer.forget('gone')
  timer.watch('moved', after(5000))
  vi.advanceTimersByTime(4999)
  expect(due).toEqual([])
  vi.advanceTimersByTime(1)

  expect(due).toEqual(['moved'])
})

test('after stop nothing is told and no timer is left', () => {
  const { timer, due } = watching()
  timer.watch('a', after(10))
  timer.stop()
  timer.watch('b', after(10))
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(1000)

  expect(due).toEqual([])
})
