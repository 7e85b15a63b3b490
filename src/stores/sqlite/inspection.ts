// Looks at everything in a database; changes nothing unless a finding's repair is called. Before the first
// repair the whole file is copied.

import { copyFileSync, existsSync } from 'node:fs'

import { DamagedError, HexagonError, NewerFormatError } from '../../core/errors.ts'
import { once, type Finding } from '../file/finding.ts'
import type { Inspected } from '../file/inspection.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed, type Cipher } from '../sealed/cipher.ts'
import { KeyRing } from '../sealed/key-ring.ts'
import { textIn } from './column.ts'
import { Database, type Sql } from './database.ts'
import { restoreThread } from './restoration.ts'
import { checkSeals } from './seal-check.ts'
import { problemOf } from './thread-check.ts'
import { removeThread } from './thread.ts'

const IDS = 'select id from thread order by id'
const ORPHANS = `
select distinct thread as id from (
  select thread from record union select thread from question union select thread from change)
where thread not in (select id from thread)`
const CHECK = 'pragma integrity_check(100)'
/** What SQLite says of an index that does not fit its table: rows are all there. */
const INDEX_PROBLEM = /index/iu

interface Look<T> {
  readonly seen?: T
  readonly problem?: string
}

/** Everything that can be wrong in a database. */
export class SqliteInspection {
  readonly #path: string
  readonly #database: Database
  readonly #cipher: Cipher | undefined
  #kept: string | undefined

  /** With keys it looks into what is encrypted too. @throws SealedError E1325 */
  constructor(path: string, { keys }: { readonly keys?: readonly string[] | undefined } = {}) {
    this.#path = path
    this.#cipher = keys && new KeyRing(keys)
    this.#database = new Database(path, { synchronous: 'full', createdBy: 'doctor' })
  }

  /** Every finding, those of the whole file first. */
  async inspect(): Promise<Inspected> {
    try {
      const ids = await this.#database.read((sql) => idsOf(sql))
      const findings = [...(await this.#fileFindings())]
      for (const id of ids ?? []) findings.push(...(await this.#threadFindings(id)))
      findings.push(...(await this.#orphanFindings()), ...(await this.#blobFindings()))
      return { threads: ids?.length ?? 0, findings }
    } catch (error) {
      return { threads: 0, findings: [this.#unusable(error)] }
    }
  }

  /** Forgets what was open. */
  async close(): Promise<void> {
    await this.#database.close()
  }

  /** One that can't be opened, or not even its list of threads read. */
  #unusable(error: unknown): Finding {
    if (!(error instanceof HexagonError) || !['E1308', 'E1309'].includes(error.code)) throw error
    const isNewer = error instanceof NewerFormatError
    const problem = isNewer
      ? `was written by a newer hexagon (format ${String(error.details['format'])})`
      : String(error.details['problem'])
    const hint = isNewer ? 'Use that version.' : 'Put a copy of the file back, or move it away.'
    return {
      kind: isNewer ? 'newer' : 'damaged',
      file: this.#path,
      problem,
      weight: 'problem',
      hint,
    }
  }

  /** SQLite's own look at pages and indexes. */
  async #fileFindings(): Promise<Finding[]> {
    const { seen = [], problem: why } = await this.#look((sql) => sql.all(CHECK, []))
    const lines = seen.map((row) => textIn(row, 'integrity_check'))
    const problems = [...lines.filter((line) => line !== 'ok'), ...(why === undefined ? [] : [why])]
    if (problems.length === 0) return []
    const file = this.#path
    const problem = `is damaged: ${problems.slice(0, 3).join('; ')}`
    const damage = { kind: 'damaged', file, problem, weight: 'problem' } as const
    if (problems.every((line) => INDEX_PROBLEM.test(line))) {
      const repair = once(() => this.#repair((sql) => reindex(sql)))
      return [{ ...damage, repair }]
    }
    const hint = 'Take out what can be read: hexagon store copy --to sqlite:<new file>'
    return [{ ...damage, hint }]
  }

  async #threadFindings(threadId: string): Promise<Finding[]> {
    const { seen, problem = seen } = await this.#look((sql) => problemOf(sql, threadId))
    if (problem === undefined) return this.#sealFindings(threadId)
    return [this.#finding(threadId, { kind: 'damaged', problem })]
  }

  async #sealFindings(threadId: string): Promise<Finding[]> {
    const cipher = this.#cipher
    if (cipher === undefined) return []
    return (await this.#look((sql) => checkSeals(sql, threadId, cipher))).seen ?? []
  }

  async #orphanFindings(): Promise<Finding[]> {
    // What can't be read SQLite's own look has told.
    const { seen = [] } = await this.#look((sql) => sql.all(ORPHANS, []))
    const ids = seen.map((row) => textIn(row, 'id'))
    const problem = 'has rows, and is not in the list of threads'
    return ids.map((id) => this.#finding(id, { kind: 'orphan', problem }))
  }

  async #blobFindings(): Promise<Finding[]> {
    const { seen: rows = [] } = await this.#look((sql) => sql.all('select hash from blob', []))
    const findings: Finding[] = []
    for (const row of rows) {
      const hash = textIn(row, 'hash')
      const { seen: isSound } = await this.#look((sql) => isSoundBlob(sql, hash))
      if (isSound === true) continue
      const problem = `has other bytes under the hash ${hash}`
      const hint = 'No copy of it is kept here.'
      findings.push({ kind: 'damaged', file: this.#path, problem, weight: 'problem', hint })
    }
    return findings
  }

  #finding(threadId: string, { kind, problem }: Pick<Finding, 'kind' | 'problem'>): Finding {
    const repair = (): Promise<string> =>
      this.#repair((sql, kept) => mend(sql, { threadId, kind, kept }))
    const name = `thread ${JSON.stringify(threadId)}`
    return {
      kind,
      file: this.#path,
      problem: `${name} ${problem}`,
      weight: 'problem',
      threadId,
      repair: once(repair),
    }
  }

  /** What a look gives; where a part can't be read, why. */
  async #look<T>(act: (sql: Sql) => T): Promise<Look<T>> {
    try {
      const seen = await this.#database.read(act)
      return seen === undefined ? {} : { seen }
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      return { problem: String(error.details['problem']) }
    }
  }

  async #repair(act: (sql: Sql, kept: string) => string): Promise<string> {
    return this.#database.write((sql) => act(sql, this.#keep()))
  }

  /** With the right to write nobody else changes the file meanwhile, or cuts its log short. */
  #keep(): string {
    if (this.#kept !== undefined) return this.#kept
    const kept = `${this.#path}.${new Date().toISOString().replaceAll(':', '-')}.kept`
    copyFileSync(this.#path, kept)
    const log = `${this.#path}-wal`
    if (existsSync(log)) copyFileSync(log, `${kept}-wal`)
    this.#kept = kept
    return kept
  }
}

function idsOf(sql: Sql): string[] {
  return sql.all(IDS, []).map((row) => textIn(row, 'id'))
}

function isSoundBlob(sql: Sql, hash: string): boolean {
  const bytes = sql.get('select bytes from blob where hash = ?', [hash])?.['bytes']
  const isBytes = bytes instanceof ArrayBuffer || bytes instanceof Uint8Array
  if (!isBytes) return false
  const blob = new Uint8Array(bytes)
  // What is sealed is checked by who has the key.
  return hashOf(blob) === hash || isSealed(blob)
}

function reindex(sql: Sql): string {
  sql.run('reindex', [])
  return 'made its indexes anew; nothing is lost'
}

function mend(
  sql: Sql,
  {
    threadId,
    kind,
    kept,
  }: { readonly threadId: string; readonly kind: string; readonly kept: string },
): string {
  try {
    return restoreThread(sql, threadId, { now: Date.now(), kept })
  } catch (error) {
    // Rows of a thread that is gone, and that nothing can be made of.
    if (kind !== 'orphan' || !(error instanceof HexagonError)) throw error
    removeThread(sql, threadId)
    return `removed them. A copy is ${kept}`
  }
}
