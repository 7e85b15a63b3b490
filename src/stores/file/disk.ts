import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'

import { processIdentity } from '../../system/process-identity.ts'
import { randomText } from '../../system/services.ts'
import { codeOf, unlessMissing, writeErrorOf } from './store-error.ts'

/** Named places between two effects on the disk, where a test may end the process or make the effect fail. */
export type FaultPoint =
  | `${'temp' | 'log' | 'inbox' | 'audit'}:${'write' | 'written' | 'synced'}`
  | `${'document' | 'lease'}:${'place' | 'placed'}`
  | `folder:${'sync' | 'synced'}`
  | `lease:${'remove' | 'removed'}`
  | `rotation:${'kept' | 'replaced'}`
  | `closing:${'log-moved' | 'document-moved'}`
  | `pruning:${'begun' | 'removed'}`

/** Called at each {@link FaultPoint}; what it throws is taken for the failure of the next effect. */
export type OnFaultPoint = (point: FaultPoint) => void

/** A sync shorter than this holds nobody up. */
const QUICK_SYNC_MS = 2

/** Writes whole files and syncs them, and passes the fault points. */
export class Disk {
  readonly #temp: string
  readonly #onPoint: OnFaultPoint | undefined
  readonly #folders = new Map<string, number>()
  /** How long a log's sync takes, on average of late. */
  #syncMs = 0
  /** Logs that are open for writing. */
  openLogs = 0

  constructor(temp: string, onPoint?: OnFaultPoint) {
    this.#temp = temp
    this.#onPoint = onPoint
  }

  /** Passes a fault point. */
  at(point: FaultPoint): void {
    this.#onPoint?.(point)
  }

  /** Appends all of `bytes`. @throws StoreWriteError */
  append(
    fd: number,
    bytes: Uint8Array,
    at: { kind: 'temp' | 'log' | 'inbox' | 'audit'; path: string },
  ): void {
    try {
      this.at(`${at.kind}:write`)
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
      this.at(`${at.kind}:written`)
    } catch (error) {
      throw writeErrorOf(at.path, error)
    }
  }

  /** Makes durable what was appended. @throws StoreWriteError */
  async sync(fd: number, at: { kind: 'temp' | 'inbox' | 'audit'; path: string }): Promise<void> {
    // A new file is synced with all that belongs to it; of one that grows only what was appended.
    await syncElsewhere(at.kind === 'temp' ? fsync : fdatasync, fd, at.path)
    this.at(`${at.kind}:synced`)
  }

  /**
   * Makes durable what was appended to a log. While a single log is open and the disk is quick, it does so in
   * place: the way to another thread and back takes as long as the sync.
   * @throws StoreWriteError
   */
  async syncLog(fd: number, path: string): Promise<void> {
    const start = performance.now()
    if (this.openLogs === 1 && this.#syncMs < QUICK_SYNC_MS) syncInPlace(fd, path)
    else await syncElsewhere(fdatasync, fd, path)
    this.#syncMs += (performance.now() - start - this.#syncMs) / 4
    this.at('log:synced')
  }

  /** Makes durable which names a folder has. */
  async syncFolder(path: string): Promise<void> {
    this.at('folder:sync')
    const fd = this.#folders.get(path) ?? openSync(path, 'r')
    this.#folders.set(path, fd)
    await new Promise<void>((resolve, reject) => {
      fsync(fd, (error) => {
        // Some systems can't sync a folder; there the file system keeps the order itself.
        const isRefused = ['EPERM', 'EISDIR', 'EINVAL', 'EBADF'].includes(codeOf(error))
        if (error === null || isRefused) resolve()
        else reject(writeErrorOf(path, error))
      })
    })
    this.at('folder:synced')
  }

  /**
   * Writes a file under a name nobody else uses, only for the owner.
   * @throws StoreWriteError
   */
  async writeTemp(path: string, bytes: Uint8Array): Promise<TempFile> {
    const temp = this.#create(path)
    try {
      this.append(temp.fd, bytes, { kind: 'temp', path })
      await this.sync(temp.fd, { kind: 'temp', path })
      return temp
    } catch (error) {
      temp.discard()
      throw writeErrorOf(path, error)
    }
  }

  /** Like `writeTemp`, for what needn't survive a power cut. */
  writeFleeting(path: string, bytes: Uint8Array): TempFile {
    const temp = this.#create(path)
    try {
      writeSync(temp.fd, bytes)
      return temp
    } catch (error) {
      temp.discard()
      throw writeErrorOf(path, error)
    }
  }

  /** Closes the folders that were synced. */
  close(): void {
    for (const fd of this.#folders.values()) closeSync(fd)
    this.#folders.clear()
  }

  #create(path: string): TempFile {
    const temp = join(this.#temp, tempNameOf(basename(path)))
    try {
      return new TempFile(temp, openSync(temp, 'ax', 0o600))
    } catch (error) {
      throw writeErrorOf(path, error)
    }
  }
}

function syncInPlace(fd: number, path: string): void {
  try {
    fdatasyncSync(fd)
  } catch (error) {
    throw writeErrorOf(path, error)
  }
}

function syncElsewhere(call: typeof fsync, fd: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    call(fd, (error) => (error === null ? resolve() : reject(writeErrorOf(path, error))))
  })
}

/** A file that was written and has no name of its own yet. */
export class TempFile {
  readonly path: string
  readonly fd: number
  #isClosed = false

  constructor(path: string, fd: number) {
    this.path = path
    this.fd = fd
  }

  /** Takes the place of whatever is at `path`. */
  replace(path: string): void {
    try {
      renameSync(this.path, path)
    } catch (error) {
      throw writeErrorOf(path, error)
    }
  }

  /** Takes the name unless it is taken; false when it is. */
  claim(path: string): boolean {
    try {
      linkSync(this.path, path)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw writeErrorOf(path, error)
    }
  }

  /** Gives the temporary name up. */
  unlink(): void {
    unlessMissing(() => unlinkSync(this.path))
  }

  /** Closes the file, once. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.fd)
  }

  /** Forgets the file. */
  discard(): void {
    this.close()
    this.unlink()
  }
}

/** A name no other process uses; it tells which process made it. */
function tempNameOf(name: string): string {
  return `${name.slice(0, 100)}.${tempOwner()}.${randomText(8)}.tmp`
}

/** Process and its surroundings as they stand in the names of its temporary files. */
export function tempOwner(): string {
  const { boot, pidNamespace, pid } = processIdentity()
  return `${placeTag(boot, pidNamespace)}-${pid}`
}

function placeTag(boot: string, pidNamespace: string): string {
  return `${boot.replaceAll('-', '').slice(0, 8)}${pidNamespace.replaceAll(/\D/g, '').slice(-6)}`
}
