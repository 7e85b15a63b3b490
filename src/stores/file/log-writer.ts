import { closeSync, fstatSync, ftruncateSync } from 'node:fs'

import { StoreWriteError } from '../../core/errors.ts'
import type { Change } from '../change.ts'
import type { Disk } from './disk.ts'
import { lineOf, type LogHeader } from './log-record.ts'
import { openOwn } from './own-file.ts'
import { writeErrorOf } from './store-error.ts'

/**
 * The end of a log, held open. `append` writes at once, `synced` waits until everything written is
 * durable; appends made while the disk is busy share the next sync.
 */
export class LogWriter {
  readonly path: string
  readonly header: LogHeader
  readonly #disk: Disk
  readonly #fd: number
  /** Bytes that hold whole records. */
  size: number
  /** Number of the last record. */
  through: number
  #running = Promise.resolve()
  /** True when something was appended that no sync has begun for. */
  #isDirty = false
  #next: Promise<void> | undefined
  #failure: Error | undefined

  constructor(
    disk: Disk,
    fd: number,
    at: { path: string; header: LogHeader; size: number; through: number },
  ) {
    this.#disk = disk
    this.#fd = fd
    this.path = at.path
    this.header = at.header
    this.size = at.size
    this.through = at.through
    disk.openLogs++
  }

  /** Writes a record; it is visible at once, and durable after `synced`. @throws StoreWriteError */
  append(change: Change): void {
    if (this.#failure !== undefined) throw this.#failure
    const line = lineOf(this.through + 1, change)
    try {
      this.#disk.append(this.#fd, line, { kind: 'log', path: this.path })
    } catch (error) {
      this.#cutBack()
      throw error
    }
    this.size += line.length
    this.through++
    this.#isDirty = true
  }

  /** Resolves when all that was appended is durable. @throws StoreWriteError */
  synced(): Promise<void> {
    // A sync that runs may have begun before the last append, so only one that begins later counts.
    if (!this.#isDirty && this.#next === undefined && this.#failure === undefined)
      return this.#running
    this.#next ??= this.#syncAfter(this.#running)
    return this.#next
  }

  close(): void {
    closeSync(this.#fd)
    this.#disk.openLogs--
  }

  /** Leaves a moment before it begins, in which more may be appended. */
  async #syncAfter(running: Promise<void>): Promise<void> {
    await running.catch(ignore)
    this.#running = this.#next ?? this.#running
    this.#next = undefined
    this.#isDirty = false
    if (this.#failure !== undefined) throw this.#failure
    try {
      await this.#disk.syncLog(this.#fd, this.path)
    } catch (error) {
      // Nobody knows now what is on the disk: nothing more may build on it.
      this.#failure = writeErrorOf(this.path, error)
      throw this.#failure
    }
  }

  /** Takes a half-written record away again, so that the next one follows the last whole one. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.size)
    } catch (error) {
      this.#failure = new StoreWriteError('E1310', `Cannot repair the end of ${this.path}`, error)
    }
  }
}

/** Opens a log at its end and drops what an append that was cut off has left. @throws StoreWriteError */
export function openLog(
  disk: Disk,
  path: string,
  at: { header: LogHeader; wholeBytes: number; through: number },
): LogWriter {
  try {
    const fd = openOwn(path, 'append')
    if (fstatSync(fd).size > at.wholeBytes) ftruncateSync(fd, at.wholeBytes)
    return new LogWriter(disk, fd, {
      path,
      header: at.header,
      size: at.wholeBytes,
      through: at.through,
    })
  } catch (error) {
    throw writeErrorOf(path, error)
  }
}

function ignore(): void {
  // Whose sync failed was told; this one fails on its own account.
}
