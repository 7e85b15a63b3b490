import { HexagonError } from '../core/errors.ts'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Milliseconds of `500ms`, `30s`, `15m`, `2h`, `7d`. @throws HexagonError E1009 */
export function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(text) ?? []
  const factor = UNITS[unit]
  if (amount !== undefined && factor !== undefined) return Number(amount) * factor
  const isNumber = /^\d+(?:\.\d+)?$/.test(text)
  throw new HexagonError(
    'E1009',
    isNumber ? `"${text}" has no unit` : `"${text}" is not a duration`,
    {
      hint: isNumber ? `Use ${text}s, ${text}m or ${text}h` : 'Use 30s, 15m, 2h or 7d',
      details: { value: text },
    },
  )
}
