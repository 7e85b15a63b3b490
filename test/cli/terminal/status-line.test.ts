import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { StatusLine } from '../../../src/cli/terminal/status-line.ts'

const ERASE = '\r\u001b[2K'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function create(columns = 20): { line: StatusLine; written: string[]; screen: { free: boolean } } {
  const written: string[] = []
  const screen = { free: true }
  const line = new StatusLine({
    write: (text) => void written.push(text),
    columns: () => columns,
    free: () => screen.free,
    frames: ['-', '+'],
  })
  return { line, written, screen }
}

describe('the line that moves', () => {
  test('is not shown for quick work', () => {
    const { line, written } = create()

    line.set('build')
    vi.advanceTimersByTime(140)
    line.set(undefined)
    vi.advanceTimersByTime(1000)

    expect(written).toEqual([])
  })

  test('moves on one line and leaves it empty', () => {
    const { line, written } = create()

    line.set('build')
    vi.advanceTimersByTime(310)
    line.set(undefined)

    expect(written).toEqual([`${ERASE}- build`, `${ERASE}+ build`, ERASE])
  })

  test('is cut to the screen', () => {
    const { line, written } = create(10)

    line.set('a long name of a node')
    vi.advanceTimersByTime(200)

    expect(written).toEqual([`${ERASE}- a long…`])
  })

  test('is taken away and comes back around other lines', () => {
    const { line, written } = create()
    line.set('build')
    vi.advanceTimersByTime(200)
    written.length = 0

    line.hide()
    written.push('a line\n')
    line.draw()

    expect(written).toEqual([ERASE, 'a line\n', `${ERASE}+ build`])
  })

  test('is not drawn while a prompt has the screen', () => {
    const { line, written, screen } = create()
    screen.free = false

    line.set('build')
    vi.advanceTimersByTime(1000)

    expect(written).toEqual([])
  })
})
