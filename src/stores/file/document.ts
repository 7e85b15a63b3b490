import { constants } from 'node:buffer'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

import { Low, type Adapter } from 'lowdb'

import { DamagedError } from '../../core/errors.ts'
import type { Disk } from './disk.ts'
import { documentOf, textOfDocument, type ThreadDocument } from './document-text.ts'
import { readText } from './json-file.ts'

/** A file's size and time: whether it is still the one that was read. */
export interface FileStamp {
  readonly size: number
  readonly mtimeMs: number
}

/**
 * How lowdb reads and writes a thread's document: a write is either whole and durable or did not happen,
 * in one file that only its owner may read, also after many rewrites.
 */
export class DocumentAdapter implements Adapter<ThreadDocument> {
  readonly #path: string
  readonly #disk: Disk
  /** Length of what was read or written last. */
  bytes = 0

  constructor(path: string, disk: Disk) {
    this.#path = path
    this.#disk = disk
  }

  /** @throws DamagedError, NewerFormatError */
  async read(): Promise<ThreadDocument | null> {
    const { size = 0 } = stampOf(this.#path) ?? {}
    // Reading it as far as it goes would take minutes and all memory.
    if (size > constants.MAX_STRING_LENGTH) {
      throw new DamagedError(this.#path, `has ${size} bytes, more than can be read`)
    }
    const text = readText(this.#path)
    if (text === undefined) return null
    this.bytes = text.length
    return documentOf(this.#path, text)
  }

  /** @throws StoreWriteError */
  async write(document: ThreadDocument): Promise<void> {
    const bytes = Buffer.from(textOfDocument(document))
    const temp = await this.#disk.writeTemp(this.#path, bytes)
    try {
      this.#disk.at('document:place')
      temp.replace(this.#path)
      this.#disk.at('document:placed')
    } catch (error) {
      temp.unlink()
      throw error
    } finally {
      temp.close()
    }
    await this.#disk.syncFolder(dirname(this.#path))
    this.bytes = bytes.length
  }
}

/** A thread's document, if there is one. @throws DamagedError, NewerFormatError */
export async function readDocument(path: string, disk: Disk): Promise<ThreadDocument | undefined> {
  const low = new Low<ThreadDocument | null>(
    new DocumentAdapter(path, disk) as Adapter<ThreadDocument | null>,
    null,
  )
  await low.read()
  return low.data ?? undefined
}

/** Replaces a thread's document; gives its length. @throws StoreWriteError */
export async function writeDocument(
  path: string,
  disk: Disk,
  document: ThreadDocument,
): Promise<number> {
  const adapter = new DocumentAdapter(path, disk)
  const low = new Low<ThreadDocument>(adapter, document)
  await low.write()
  return adapter.bytes
}

/** Size and time of a file; undefined when it is missing. */
export function stampOf(path: string): FileStamp | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && { size: stats.size, mtimeMs: stats.mtimeMs }
}

/** True when both are of the same unchanged file, or of none. */
export function sameStamp(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  return a?.size === b?.size && a?.mtimeMs === b?.mtimeMs
}
