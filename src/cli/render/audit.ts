import type { AuditLine } from '../../stores/file/audit-line.ts'
import { briefJson } from './json.ts'
import { renderTable, type Row } from './table.ts'
import { formatRelative } from './time.ts'
import type { View } from './view.ts'

/** Answers, oldest first. */
export function renderAudit(lines: readonly AuditLine[], view: View): string[] {
  if (lines.length === 0) return []
  const columns = [
    { title: 'WHEN', style: view.paint.dim },
    { title: 'THREAD', style: view.paint.cyan },
    { title: 'QUESTION' },
    { title: 'KIND' },
    { title: 'BY' },
    { title: 'ANSWER', flexible: true },
  ]
  const rows = lines.map(({ at, thread, interrupt, kind, by, value }): Row => {
    const when = view.isTTY ? formatRelative(at, view.now) : at
    return [when, thread, interrupt, kind, by, shown(value)]
  })
  return renderTable(columns, rows, view)
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  const isSealed = typeof value === 'object' && value !== null && '$sealed' in value
  return isSealed ? '(encrypted)' : briefJson(value)
}
