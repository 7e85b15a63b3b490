// Threads of a database as archives. A thread is read in one transaction, and written in one.

import { ThreadExistsError } from '../../core/errors.ts'
import { isSameArchive, type Archive, type Stretch, type ThreadArchive } from '../archive.ts'
import type { StoredTexts } from '../file/folder.ts'
import { assertThreadId } from '../thread-id.ts'
import { Database, type Sql } from './database.ts'
import { writeQuestions } from './question-rows.ts'
import { insertStretches, readStretches } from './stretches.ts'
import { insertThreadRow, readThreadRow, type ThreadRow } from './thread-rows.ts'
import { assertFree, putRecords, wholeThread } from './thread.ts'

/** What an archive over a database is made with. */
export interface SqliteArchiveSettings {
  readonly createdBy?: string
  /** `sealed` when whoever copies has a key, `plain` when not. */
  readonly texts?: StoredTexts
}

/** The threads of a database. */
export class SqliteArchive implements Archive {
  readonly #database: Database

  constructor(path: string, { createdBy = '', texts }: SqliteArchiveSettings = {}) {
    this.#database = new Database(path, { synchronous: 'full', createdBy, texts })
  }

  async read(threadId: string): Promise<ThreadArchive | undefined> {
    assertThreadId(threadId)
    return this.#database.read((sql) => archiveIn(sql, threadId))
  }

  async write(thread: ThreadArchive): Promise<'written' | 'same'> {
    const { id } = thread.state
    assertThreadId(id)
    return this.#database.write((sql) => {
      const existing = archiveIn(sql, id)
      if (existing !== undefined) {
        if (isSameArchive(existing, thread)) return 'same'
        throw new ThreadExistsError(id, existing.state.status)
      }
      insertArchive(sql, thread)
      return 'written'
    })
  }

  async close(): Promise<void> {
    await this.#database.close()
  }
}

function archiveIn(sql: Sql, threadId: string): ThreadArchive | undefined {
  const row = readThreadRow(sql, threadId)
  if (row === undefined) return undefined
  const now = Date.now()
  assertFree(row, now)
  wholeThread(sql, row, now)
  const stretches = readStretches(sql, threadId)
  const state = { ...row.state, inbox: inboxOf(stretches) }
  return { state, through: row.changes, stretches }
}

function insertArchive(sql: Sql, { state, through, stretches }: ThreadArchive): void {
  const row: ThreadRow = { state, lease: undefined, changes: through }
  insertThreadRow(sql, row)
  putRecords(sql, row, [...state.records])
  writeQuestions(sql, state, { before: new Map(), untold: false })
  insertStretches(sql, state, stretches)
}

/** Up to which batch of a folder's inbox the thread has answers: only folders count these. */
function inboxOf(stretches: readonly Stretch[]): number {
  let inbox = 0
  for (const { base, changes } of stretches) {
    inbox = Math.max(inbox, base?.state?.inbox ?? 0)
    for (const change of changes) {
      if (change.kind === 'answer') inbox = Math.max(inbox, change.through ?? 0)
    }
  }
  return inbox
}
