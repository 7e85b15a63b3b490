// Who answered what, one row an answer, each line with the hash of the one before. A line is written in
// the transaction that stores its answer, so neither is ever there without the other. Triggers of the
// table refuse to change or remove one.

import type { GivenAnswer } from '../change.ts'
import { entryOf, linesAfter } from '../file/audit-line.ts'
import { trailOf, type AuditTrail } from '../file/audit.ts'
import type { ThreadState } from '../thread-state.ts'
import { numberIn, textIn } from './column.ts'
import { Database, type Sql } from './database.ts'

const LAST = 'select n, line from audit order by n desc limit 1'
const INSERT = 'insert into audit (n, line) values (?, ?)'
const ALL = 'select line from audit order by n'

/** Writes a line for each answer that was just stored in a thread. */
export function recordAnswers(
  sql: Sql,
  { id, interrupts }: Pick<ThreadState, 'id' | 'interrupts'>,
  answers: readonly GivenAnswer[],
): void {
  if (answers.length === 0) return
  const last = sql.get(LAST, [])
  const entries = answers.map((given) => entryOf(id, interrupts.get(given.id)?.kind ?? '', given))
  let n = last === undefined ? 0 : numberIn(last, 'n')
  for (const line of linesAfter(last && textIn(last, 'line'), entries)) sql.run(INSERT, [++n, line])
}

/** Reads the answers in a database and follows their chain. @throws DamagedError, NewerFormatError */
export async function readAudit(path: string): Promise<AuditTrail> {
  const database = new Database(path, { synchronous: 'full', createdBy: '' })
  try {
    const rows = await database.read((sql) => sql.all(ALL, []))
    return trailOf(
      path,
      (rows ?? []).map((row) => textIn(row, 'line')),
    )
  } finally {
    await database.close()
  }
}
