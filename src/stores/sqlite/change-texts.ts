import type { JsonText } from '../../core/store.ts'
import type { Change } from '../change.ts'
import { documentOf, textOfDocument } from '../file/document-text.ts'
import type { ThreadTexts } from '../sealed/thread-texts.ts'
import { standsForOthers, stateIn } from './change-rows.ts'
import { numberIn, optionalTextIn, textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row } from './driver.ts'
import { toStored } from './stored-text.ts'

const CHANGES = 'select seq, version, label, body, event_bodies from change where thread = ?'

/** A change's columns that hold texts. */
interface TurnedChange {
  readonly seq: number
  readonly body: string
  readonly events: string | null
}

/** What all changes of a thread look like once their texts are turned. */
export function turnedChanges(sql: Sql, id: string, texts: ThreadTexts): TurnedChange[] {
  return sql.all(CHANGES, [toStored(id)]).map((row) => ({
    seq: numberIn(row, 'seq'),
    body: bodyOf(row, texts),
    events: eventsOf(row, texts),
  }))
}

function eventsOf(row: Row, texts: ThreadTexts): string | null {
  const bodies = optionalTextIn(row, 'event_bodies')
  if (bodies === undefined) return null
  return JSON.stringify(texts.events(numberIn(row, 'version'), JSON.parse(bodies) as JsonText[]))
}

function bodyOf(row: Row, texts: ThreadTexts): string {
  const body = textIn(row, 'body')
  if (!standsForOthers(row)) return JSON.stringify(texts.change(JSON.parse(body) as Change))
  const state = stateIn(row)
  if (state === undefined) return body
  const { through } = documentOf('change', body)
  return textOfDocument({ state: texts.state(state), through })
}
