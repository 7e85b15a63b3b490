import type { RunEvent } from '../../core/event.ts'
import { oneLine, safe } from '../terminal/safe.ts'
import { truncate } from '../terminal/width.ts'
import { wrap } from '../terminal/wrap.ts'
import { renderErrorRecord } from './error.ts'
import { briefJson } from './json.ts'
import { formatDuration } from './time.ts'
import type { View } from './view.ts'

type Detail = Extract<
  RunEvent,
  { readonly type: 'step:end' | 'message' | 'tool:start' | 'tool:end' | 'custom' }
>

const INDENT = '    '

/** What happens inside nodes, for those who asked for more. */
export function renderDetail(event: Detail, view: View): string[] {
  const { paint, columns, symbols } = view
  if (event.type === 'message') {
    return wrap(safe(event.delta), columns - INDENT.length - 2)
      .filter((line) => line.trim() !== '')
      .map((line) => `${INDENT}${paint.dim(symbols.bar)} ${line}`)
  }
  return [INDENT + paint.dim(truncate(textOf(event, view), columns - INDENT.length))]
}

function textOf(event: Exclude<Detail, { readonly type: 'message' }>, view: View): string {
  const { symbols } = view
  switch (event.type) {
    case 'step:end': {
      const how = event.replayed ? 'remembered' : formatDuration(event.ms)
      return `${symbols.dot} step ${oneLine(event.name)}  ${how}`
    }
    case 'tool:start':
      return `${symbols.go} tool ${oneLine(event.tool)} ${oneLine(briefJson(event.args))}`
    case 'tool:end': {
      const result =
        event.error === undefined
          ? oneLine(briefJson(event.result ?? null))
          : renderErrorRecord(event.error)
      const sign = event.error === undefined ? symbols.ok : symbols.fail
      return `${sign} tool ${oneLine(event.tool)} ${result}`
    }
    case 'custom':
      return `${symbols.dot} ${oneLine(briefJson(event.value))}`
    default:
      return event satisfies never
  }
}
