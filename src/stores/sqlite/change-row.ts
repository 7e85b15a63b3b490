import { messageOf } from '../../core/errors.ts'
import type { JsonText } from '../../core/store.ts'
import { isChange, isTextList } from '../change-form.ts'
import type { Change } from '../change.ts'
import { numberIn, optionalTextIn, textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row } from './driver.ts'
import { damagedThread } from './thread-rows.ts'

/** The change a row holds, with its events where the row has them. @throws DamagedError */
export function changeIn(sql: Sql, row: Row, threadId: string): Change {
  return readIn(sql, { row, threadId }, () => {
    const body: unknown = JSON.parse(textIn(row, 'body'))
    const events = optionalTextIn(row, 'event_bodies')
    const whole: unknown =
      events === undefined ? body : { ...Object(body), events: JSON.parse(events) as unknown }
    if (isChange(whole)) return whole
    throw new Error('it has no known form')
  })
}

/** The events a row holds. @throws DamagedError */
export function eventsIn(sql: Sql, row: Row, threadId: string): readonly JsonText[] {
  return readIn(sql, { row, threadId }, () => {
    const bodies: unknown = JSON.parse(textIn(row, 'event_bodies'))
    if (isTextList(bodies)) return bodies
    throw new Error('its events are no list of texts')
  })
}

function readIn<T>(
  sql: Sql,
  { row, threadId }: { readonly row: Row; readonly threadId: string },
  read: () => T,
): T {
  try {
    return read()
  } catch (error) {
    const problem = `change ${numberIn(row, 'seq')} can't be read: ${messageOf(error)}`
    throw damagedThread(sql.path, threadId, problem)
  }
}
