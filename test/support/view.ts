import type { View } from '../../src/cli/render/view.ts'
import { plainPaint } from '../../src/cli/terminal/color.ts'
import { symbolSets } from '../../src/cli/terminal/symbols.ts'

/** Noon of the day on which tests of lines play. */
export const NOON = Date.parse('2026-11-30T12:00:00.000Z')

/** A view of 80 columns without colours, at noon. */
export function testView(given: Partial<View> = {}): View {
  return {
    columns: 80,
    rows: 24,
    isTTY: true,
    paint: plainPaint,
    symbols: symbolSets.unicode,
    now: NOON,
    plain: false,
    ...given,
  }
}
