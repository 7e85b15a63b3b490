import { SealedError } from '../../core/errors.ts'
import type { AuditLine } from '../file/audit-line.ts'
import type { Place } from './cipher.ts'
import { KeyRing } from './key-ring.ts'
import { opening, type TextMap } from './sealed-text.ts'

/** Lines with the values that the keys open; what they don't open stays sealed. @throws SealedError E1325 */
export function openLines(lines: readonly AuditLine[], keys: readonly string[]): AuditLine[] {
  const open = opening(new KeyRing(keys))
  return lines.map((line) => {
    const { thread, interrupt, source } = line
    const opened = { ...line, source: openValue(open, source, ['source', thread]) }
    if (!('value' in line)) return opened
    return { ...opened, value: openValue(open, line.value, ['answer', thread, interrupt]) }
  })
}

function openValue(open: TextMap, value: unknown, place: Place): unknown {
  try {
    return JSON.parse(open(JSON.stringify(value), place))
  } catch (error) {
    // It may be of an older key: the line says so.
    if (error instanceof SealedError) return value
    throw error
  }
}
