import { expect, test } from 'vitest'

import { codeFrame } from '../../../src/cli/load/code-frame.ts'

test('a frame shows the line, its neighbours and a mark', () => {
  expect(codeFrame('a\nbad\nc\nd', { line: 2, column: 2 })).toBe(
    ['1 │ a', '2 │ bad', '  │  ^', '3 │ c'].join('\n'),
  )
})

test('a frame at the edges has what there is', () => {
  expect(codeFrame('x', { line: 1, column: 1 })).toBe(['1 │ x', '  │ ^'].join('\n'))
  expect(codeFrame('a\nb\n', { line: 3, column: 1 })).toBe(['2 │ b', '3 │', '  │ ^'].join('\n'))
})

test('numbers of two digits are aligned', () => {
  const source = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\r\n')

  expect(codeFrame(source, { line: 9, column: 1 })).toBe(
    [' 8 │ line 8', ' 9 │ line 9', '   │ ^', '10 │ line 10'].join('\n'),
  )
})

test('the mark stands below wide characters and tabs', () => {
  expect(codeFrame('\t流x', { line: 1, column: 3 })).toBe(['1 │ \t流x', '  │ \t  ^'].join('\n'))
})
