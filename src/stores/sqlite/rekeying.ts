// Seals every text of a database under the key that writes now, a thread in one transaction: killed in between, it
// has threads under both keys. At the end the file is written anew, without what was there before.

import { SealedError, ThreadLockedError } from '../../core/errors.ts'
import type { Damage } from '../../core/store.ts'
import { isDamage } from '../file/thread-reader.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed, type Cipher } from '../sealed/cipher.ts'
import { KeyRing } from '../sealed/key-ring.ts'
import type { Rekeyed } from '../sealed/rekeyed.ts'
import { resealing } from '../sealed/sealed-text.ts'
import { BLOB, blobPlace } from '../sealed/store.ts'
import { ThreadTexts } from '../sealed/thread-texts.ts'
import { turnedChanges } from './change-texts.ts'
import { textIn } from './column.ts'
import { Database, type OnSqlPoint, type Sql } from './database.ts'
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
  try {
    const rekeyed = await rekeyThreads(database, cipher)
    await database.write((sql) => rekeyBlobs(sql, cipher))
    await database.compact()
    return { ...rekeyed, kept: [] }
  } finally {
    await database.close()
  }
}

async function rekeyThreads(database: Database, cipher: Cipher): Promise<Omit<Rekeyed, 'kept'>> {
  const threads: string[] = []
  const busy: string[] = []
  const damaged: Damage[] = []
  const ids = await database.write((sql) => sql.all('select id from thread order by id', []))
  for (const id of ids.map((row) => textIn(row, 'id'))) {
    try {
      await database.write((sql) => rekeyThread(sql, id, cipher))
      threads.push(id)
    } catch (error) {
      if (error instanceof ThreadLockedError) busy.push(id)
      else damaged.push(damageOf(database.path, id, error))
    }
  }
  return { threads, busy, damaged }
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
  rekeyChanges(sql, id, texts)
}

function rekeyRecords(sql: Sql, id: string, texts: ThreadTexts): void {
  const thread = toStored(id)
  for (const record of sql.all('select key, value from record where thread = ?', [thread])) {
    const key = textIn(record, 'key')
    const value = texts.record(key, textIn(record, 'value'))
    sql.run(PUT_RECORD, [toStored(value), thread, toStored(key)])
  }
}

function rekeyChanges(sql: Sql, id: string, texts: ThreadTexts): void {
  for (const { seq, body, events } of turnedChanges(sql, id, texts)) {
    sql.run(PUT_CHANGE, [body, events, toStored(id), seq])
  }
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
