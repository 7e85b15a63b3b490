import { expect, test } from 'vitest'

import { formatDuration, formatRelative } from '../../../src/cli/render/time.ts'
import { NOON } from '../../support/view.ts'

test.each([
  [0, '0 ms'],
  [40, '40 ms'],
  [99, '99 ms'],
  [204, '0.2 s'],
  [1204, '1.2 s'],
  [3000, '3.0 s'],
  [9949, '9.9 s'],
  [9960, '10 s'],
  [14_000, '14 s'],
  [59_700, '1 min'],
  [180_000, '3 min'],
  [7_200_000, '2 hr'],
  [86_400_000, '1 day'],
  [400_000_000, '5 days'],
])('%i ms took %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([
  ['2026-11-30T12:00:00.000Z', 'now'],
  ['2026-11-30T11:59:30.000Z', '30 sec. ago'],
  ['2026-11-30T11:58:00.000Z', '2 min. ago'],
  ['2026-11-30T10:00:00.000Z', '2 hr. ago'],
  ['2026-11-29T10:00:00.000Z', 'yesterday'],
  ['2026-11-09T10:00:00.000Z', '3 wk. ago'],
  ['2026-10-01T10:00:00.000Z', '2026-10-01'],
  ['2026-11-30T13:30:00.000Z', 'in 1 hr.'],
  ['no time', 'no time'],
])('%s is %s', (iso, text) => {
  expect(formatRelative(iso, NOON)).toBe(text)
})
