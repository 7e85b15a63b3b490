// Seals every text of a folder under the key that writes now, also those that were stored without one. Each file
// is replaced whole, and each text says which key it is under, so that whatever is there at a moment in between reads
// with the keys that were given. What was cut off is done again from the beginning. The audit log stays as it is.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { SealedError, ThreadLockedError, UnknownThreadError } from '../../core/errors.ts'
import type { Damage } from '../../core/store.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed, type Cipher } from '../sealed/cipher.ts'
import { KeyRing } from '../sealed/key-ring.ts'
import type { Rekeyed } from '../sealed/rekeyed.ts'
import { resealing } from '../sealed/sealed-text.ts'
import { blobPlace, BLOB } from '../sealed/store.ts'
import { ThreadTexts } from '../sealed/thread-texts.ts'
import { isAtRest, isClosed } from '../thread-state.ts'
import { Disk, type OnFaultPoint } from './disk.ts'
import { readDocument, writeDocument } from './document.ts'
import { isPlainName } from './file-name.ts'
import { StoreFolder } from './folder.ts'
import { readInbox } from './inbox.ts'
import { Layout, type ThreadFiles } from './layout.ts'
import { doneNames, openEntries } from './listing.ts'
import { Locks } from './lock.ts'
import { readLog } from './log-file.ts'
import { changeOf, lineOf } from './log-record.ts'
import { readOwn } from './own-file.ts'
import { replaceFile } from './replacement.ts'
import { numbersIn } from './segments.ts'
import { unlessMissing } from './store-error.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage, readThread } from './thread-reader.ts'
import { underLock } from './under-lock.ts'
import { writeDescriptor } from './waiting.ts'

/** How a folder is given another key. */
export interface RekeyRequest {
  /** The first seals, all of them open. */
  readonly keys: readonly string[]
  /** Called between any two effects on the disk; for tests. */
  readonly onFaultPoint?: OnFaultPoint
}

/** Seals everything in a store's folder under the first key. @throws StoreWriteError, SealedError E1325 */
export async function rekeyFolder(
  root: string,
  { keys, onFaultPoint }: RekeyRequest,
): Promise<Rekeyed> {
  const cipher = new KeyRing(keys)
  const layout = new Layout(root)
  const disk = new Disk(layout.temp, onFaultPoint)
  const folder = new StoreFolder(layout, disk, { createdBy: 'hexagon', texts: 'sealed' })
  const locks = new Locks(disk)
  const around = { layout, disk, folder, locks, clock: Date.now, maxInlineBytes: Infinity }
  try {
    await folder.ensure()
    const rekeyed = await rekeyThreads(around, cipher)
    await rekeyBlobs(around, cipher)
    return { ...rekeyed, kept: existsSync(layout.damaged) ? [layout.damaged] : [] }
  } finally {
    locks.close()
    disk.close()
  }
}

async function rekeyThreads(around: Surroundings, cipher: Cipher): Promise<Omit<Rekeyed, 'kept'>> {
  const { layout } = around
  const threads: string[] = []
  const busy: string[] = []
  const damaged: Damage[] = []
  const names = new Set([...openEntries(layout).map(({ name }) => name), ...doneNames(layout)])
  for (const name of names) {
    try {
      threads.push(await rekeyThread(around, layout.filesNamed(name), cipher))
    } catch (error) {
      if (error instanceof UnknownThreadError) continue
      if (error instanceof ThreadLockedError) busy.push(name)
      else damaged.push(damageOf(name, error))
    }
  }
  return { threads, busy, damaged }
}

function damageOf(name: string, error: unknown): Damage {
  if (!isDamage(error) && !(error instanceof SealedError)) throw error
  const { code, details } = error
  const { file, problem = error.message } = details
  const thread = isPlainName(name) ? { threadId: name } : {}
  return { ...thread, file: String(file), problem: String(problem), code }
}

/** Gives the thread's id. */
async function rekeyThread(
  around: Surroundings,
  files: ThreadFiles,
  cipher: Cipher,
): Promise<string> {
  const act = async (): Promise<string> => {
    const found = await readThread(files, around.disk, { withInbox: false })
    if (found === undefined) throw new UnknownThreadError(files.name)
    const { id, status } = found.state
    const texts = new ThreadTexts(id, resealing(cipher))
    await rekeyDocuments(around, files, texts)
    await rekeyLogs(around, files, texts)
    if (isAtRest(status) && !isClosed(status)) writeDescriptor(files, texts.state(found.state))
    return id
  }
  return underLock(around, files, { threadId: files.name, owner: 'rekey', act })
}

async function rekeyDocuments(
  { disk }: Surroundings,
  files: ThreadFiles,
  texts: ThreadTexts,
): Promise<void> {
  for (const path of [...historyOf(files, '.json'), files.document, files.done]) {
    const document = await readDocument(path, disk)
    if (document === undefined) continue
    const { state, through } = document
    await writeDocument(path, disk, { state: texts.state(state), through })
  }
}

async function rekeyLogs(
  { disk }: Surroundings,
  files: ThreadFiles,
  texts: ThreadTexts,
): Promise<void> {
  for (const path of [...historyOf(files, '.log'), files.log]) {
    const log = readLog(path)
    if (log === undefined) continue
    const lines = log.lines.map((line) => lineOf(line.number, texts.change(changeOf(line))))
    await replaceFile(disk, path, Buffer.concat([lineOf(log.header.from, log.header), ...lines]))
  }
  const { batches } = readInbox(files.inbox)
  if (batches.length === 0) return
  const lines = batches.map((batch) => lineOf(batch.through ?? 0, texts.change(batch)))
  await replaceFile(disk, files.inbox, Buffer.concat(lines))
}

async function rekeyBlobs({ layout, disk }: Surroundings, cipher: Cipher): Promise<void> {
  const names = unlessMissing(() =>
    readdirSync(layout.blobs, { recursive: true, encoding: 'utf8' }),
  )
  for (const name of names ?? []) {
    const hash = name.slice(name.lastIndexOf('/') + 1)
    if (!/^[0-9a-f]{64}$/u.test(hash)) continue
    const path = join(layout.blobs, name)
    const bytes = readOwn(path)
    if (bytes === undefined) continue
    const place = hashOf(bytes) === hash ? BLOB : blobPlace(hash)
    const opened = isSealed(bytes) ? cipher.open(bytes, place) : bytes
    await replaceFile(disk, path, cipher.seal(opened, blobPlace(hash)))
  }
}

function historyOf({ history }: ThreadFiles, extension: string): string[] {
  return numbersIn(history, extension).map((number) => join(history, `${number}${extension}`))
}
