import { SealedError } from '../../core/errors.ts'
import type { Finding } from '../file/finding.ts'
import type { Cipher } from '../sealed/cipher.ts'
import { opening } from '../sealed/sealed-text.ts'
import { ThreadTexts } from '../sealed/thread-texts.ts'
import { turnedChanges } from './change-texts.ts'
import type { Sql } from './database.ts'
import { knownThread, wholeThread } from './thread.ts'

/** A text of a thread that does not open, though its rows are whole. */
export function checkSeals(sql: Sql, id: string, cipher: Cipher): Finding[] {
  try {
    const texts = new ThreadTexts(id, opening(cipher))
    texts.thread(wholeThread(sql, knownThread(sql, id), Date.now()))
    turnedChanges(sql, id, texts)
    return []
  } catch (error) {
    if (!(error instanceof SealedError)) throw error
    const { code, message, hint } = error
    const problem = `does not open: ${message} [${code}]`
    const finding = { kind: 'sealed', file: sql.path, problem, weight: 'problem' } as const
    return [{ ...finding, threadId: id, ...(hint === undefined ? {} : { hint }) }]
  }
}
