import { HexagonError } from '../../core/errors.ts'

/** Bytes one value may have. */
export const MAX_BYTES = 10 * 1024 * 1024

/** Levels of lists and objects one value may have. */
export const MAX_DEPTH = 64

/** The error for a value longer than {@link MAX_BYTES}. */
export function tooLarge(bytes: number): HexagonError {
  const size = (bytes / (1024 * 1024)).toFixed(1)
  return new HexagonError('E1210', `The value has ${size} MB; the limit is 10 MB`, {
    hint: 'Give a path and let the flow read it.',
    details: { bytes, limit: MAX_BYTES },
  })
}

/** Refuses a value nested deeper than {@link MAX_DEPTH}. @throws HexagonError E1210 */
export function assertDepth(value: unknown): void {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw tooDeep()
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    )
  }
}

/** The error for a value with too many levels. */
export function tooDeep(): HexagonError {
  return new HexagonError('E1210', `The value has more than ${MAX_DEPTH} levels`, {
    hint: 'Give a path and let the flow read it.',
    details: { limit: MAX_DEPTH },
  })
}
