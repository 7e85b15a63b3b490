// Seals every text of a database under the key that writes now, a thread in one transaction: killed in between, it
// has threads under both keys. What was there before is overwritten, not only given free.

import { SealedError, ThreadLockedError } from '../../core/errors.ts'
import type { Damage, JsonText } from '../../core/store.ts'
import type { Change } from '../change.ts'
import { documentOf, textOfDocument } from '../file/document-text.ts'
import { isDamage } from '../file/thread-reader.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed, type Cipher } from '../sealed/cipher.ts'
import { KeyRing } from '../sealed/key-ring.ts'
import type { Rekeyed } from '../sealed/rekeyed.ts'
import { resealing } from '../sealed/sealed-text.ts'
import { BLOB, blobPlace } from '../sealed/store.ts'
import { ThreadTexts } from '../sealed/thread-texts.ts'
import { standsForOthers, stateIn } from './change-rows.ts'
import { numberIn, optionalTextIn, textIn } from './column.ts'
import { Database, type OnSqlPoint, type Sql } from './database.ts'
import type { Row } from './driver.ts'
import { readQuestions } from './question-rows.ts'
import { toStored } from './stored-text.ts'
import { updateThreadRow } from './thread-rows.ts'
import { assertFree, knownThread } from './thread.ts'

/** How a database is given another key. */
export interface RekeyRequest {
  /** The first seals, all of them open. */
  readonly keys: readonly string[]
  /** Called between any two effects on the database; for tests. */
  readonly onFaultPoint?: OnSqlPoint
}

const CHANGES = 'select seq, version, label, body, event_bodies from change where thread = ?'
const PUT_CHANGE = 'update change set body = ?, event_bodies = ? where thread = ? and seq = ?'
const PUT_QUESTION = 'update question set body = ?, answer = ? where thread = ? and id = ?'
const PUT_RECORD = 'update record set value = ? where thread = ? and key = ?'

/** Seals everything in a database under the first key. @throws StoreWriteError, DamagedError, SealedError E1325 */
export async function rekeyDatabase(
  path: string,
  { keys, onFaultPoint }: RekeyRequest,
): Promise<Rekeyed> {
  const cipher = new KeyRing(keys)
  const options = { synchronous: 'full', createdBy: '', texts: 'sealed', onFaultPoint } as const
  const database = new Database(path, options)
  const threads: string[] = []
  const busy: string[] = []
  const damaged: Damage[] = []
  try {
    const ids = await database.write((sql) => {
      sql.all('pragma secure_delete = on', [])
      return sql.all('select id from thread order by id', []).map((row) => textIn(row, 'id'))
    })
    for (const id of ids) {
      try {
        await database.write((sql) => rekeyThread(sql, id, cipher))
        threads.push(id)
      } catch (error) {
        if (error instanceof ThreadLockedError) busy.push(id)
        else damaged.push(damageOf(path, id, error))
      }
    }
    await database.write((sql) => rekeyBlobs(sql, cipher))
    return { threads, busy, damaged, kept: [] }
  } finally {
    await database.close()
  }
}

function damageOf(path: string, threadId: string, error: unknown): Damage {
  if (!isDamage(error) && !(error instanceof SealedError)) throw error
  const { code, message, details } = error
  const { file = path, problem = message } = details
  return { threadId, file: String(file), problem: String(problem), code }
}

function rekeyThread(sql: Sql, id: string, cipher: Cipher): void {
  const row = knownThread(sql, id)
  assertFree(row, Date.now())
  const texts = new ThreadTexts(id, resealing(cipher))
  row.state.meta = texts.meta(row.state.meta)
  updateThreadRow(sql, row)
  rekeyRecords(sql, id, texts)
  for (const question of readQuestions(sql, id).map((one) => texts.row(one))) {
    const answer = question.answer === undefined ? null : JSON.stringify(question.answer)
    const key = [toStored(id), toStored(question.id)]
    sql.run(PUT_QUESTION, [toStored(question.body), answer, ...key])
  }
  for (const change of sql.all(CHANGES, [toStored(id)])) rekeyChange(sql, id, { change, texts })
}

function rekeyRecords(sql: Sql, id: string, texts: ThreadTexts): void {
  const thread = toStored(id)
  for (const record of sql.all('select key, value from record where thread = ?', [thread])) {
    const key = textIn(record, 'key')
    const value = texts.record(key, textIn(record, 'value'))
    sql.run(PUT_RECORD, [toStored(value), thread, toStored(key)])
  }
}

function rekeyChange(
  sql: Sql,
  id: string,
  { change, texts }: { readonly change: Row; readonly texts: ThreadTexts },
): void {
  const seq = numberIn(change, 'seq')
  const bodies = optionalTextIn(change, 'event_bodies')
  const version = numberIn(change, 'version')
  const events =
    bodies === undefined
      ? null
      : JSON.stringify(texts.events(version, JSON.parse(bodies) as JsonText[]))
  sql.run(PUT_CHANGE, [bodyOf(change, texts), events, toStored(id), seq])
}

function bodyOf(change: Row, texts: ThreadTexts): string {
  const body = textIn(change, 'body')
  if (!standsForOthers(change)) {
    return JSON.stringify(texts.change(JSON.parse(body) as Change))
  }
  const state = stateIn(change)
  if (state === undefined) return body
  const { through } = documentOf('change', body)
  return textOfDocument({ state: texts.state(state), through })
}

function rekeyBlobs(sql: Sql, cipher: Cipher): void {
  for (const row of sql.all('select hash from blob', [])) {
    const hash = textIn(row, 'hash')
    const found = sql.get('select bytes from blob where hash = ?', [hash])?.['bytes']
    if (!(found instanceof ArrayBuffer || found instanceof Uint8Array)) continue
    const bytes = new Uint8Array(found)
    const place = hashOf(bytes) === hash ? BLOB : blobPlace(hash)
    const opened = isSealed(bytes) ? cipher.open(bytes, place) : bytes
    sql.run('update blob set bytes = ? where hash = ?', [
      cipher.seal(opened, blobPlace(hash)),
      hash,
    ])
  }
}
