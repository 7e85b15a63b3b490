import { mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

import { SealedError, StoreWriteError } from '../../core/errors.ts'
import type { Disk } from './disk.ts'
import { tempOwner } from './disk.ts'
import { FORMAT, readJsonObject } from './json-file.ts'
import type { Layout } from './layout.ts'
import { isLink } from './own-file.ts'
import { replaceFile } from './replacement.ts'
import { codeOf, unlessMissing, writeErrorOf } from './store-error.ts'

const WRITABLE_BY_OTHERS = 0o022
const STALE_TEMP_MS = 3_600_000

/** Whether the texts in a store are sealed, as far as who opens it cares. */
export type StoredTexts = 'plain' | 'sealed' | 'any'

/** How a store's folder is opened. */
export interface FolderOptions {
  /** Written into a new store. */
  readonly createdBy: string
  /** `plain` is refused where texts are sealed, and `sealed` says for good that they are. */
  readonly texts: StoredTexts
}

/** A store's folder: made on the first write, looked at before the first read. */
export class StoreFolder {
  readonly #layout: Layout
  readonly #disk: Disk
  readonly #options: FolderOptions
  #isMade: Promise<void> | undefined
  #isChecked = false

  constructor(layout: Layout, disk: Disk, options: FolderOptions) {
    this.#layout = layout
    this.#disk = disk
    this.#options = options
  }

  /** Makes what is missing. @throws StoreWriteError, NewerFormatError */
  async ensure(): Promise<void> {
    this.#isMade ??= this.#make()
    try {
      await this.#isMade
    } catch (error) {
      this.#isMade = undefined
      throw error
    }
  }

  /** False when there is no store yet. @throws StoreWriteError E1317, NewerFormatError, DamagedError, SealedError E1322 */
  exists(): boolean {
    if (this.#isChecked) return true
    const stats = unlessMissing(() => statSync(this.#layout.root))
    if (stats === undefined) return false
    assertOwn(this.#layout.root, stats)
    this.#assertOwnParts()
    const { root, manifest, threads } = this.#layout
    const found = readJsonObject(manifest)
    if (this.#options.texts === 'plain' && found?.['encrypted'] === true) {
      throw new SealedError('E1322', root, 'is encrypted')
    }
    this.#isChecked = found !== undefined || isFolder(threads)
    return this.#isChecked
  }

  async #make(): Promise<void> {
    const { root, folders, threads } = this.#layout
    const isNew = makeFolder(root)
    assertOwn(root, statSync(root))
    if (this.exists() && folders.every(isFolder)) {
      this.#clean()
      await this.#markSealed()
      return
    }
    this.#assertOwnParts()
    const made = folders.map(makeFolder)
    writeOnce(join(root, '.gitignore'), '*\n')
    await this.#writeManifest()
    if (isNew) await this.#disk.syncFolder(dirname(root))
    if (made.includes(true)) await this.#disk.syncFolder(root)
    await this.#disk.syncFolder(threads)
    this.#isChecked = true
  }

  /** The store may be behind a link; its parts may not lead out of it again. */
  #assertOwnParts(): void {
    const link = linksIn(this.#layout).at(0)
    if (link === undefined) return
    const message = `${link} is a symbolic link; refusing to follow it out of the store`
    throw new StoreWriteError('E1317', message)
  }

  async #writeManifest(): Promise<void> {
    const path = this.#layout.manifest
    if (readJsonObject(path) === undefined) {
      const { createdBy, texts } = this.#options
      const encrypted = texts === 'sealed' ? { encrypted: true } : {}
      const text = `${JSON.stringify({ format: FORMAT, createdBy, ...encrypted })}\n`
      const temp = await this.#disk.writeTemp(path, Buffer.from(text))
      temp.claim(path)
      temp.discard()
    }
    await this.#markSealed()
  }

  /** A store that was plain says from now on that not all of its texts are. */
  async #markSealed(): Promise<void> {
    if (this.#options.texts !== 'sealed') return
    const path = this.#layout.manifest
    const found = readJsonObject(path)
    if (found?.['encrypted'] === true) return
    const text = `${JSON.stringify({ format: FORMAT, ...found, encrypted: true })}\n`
    await replaceFile(this.#disk, path, Buffer.from(text))
  }

  /** Removes what killed processes left behind; it is never read. */
  #clean(): void {
    const { temp } = this.#layout
    try {
      for (const file of readdirSync(temp)) {
        const path = join(temp, file)
        if (isAbandoned(path, file)) unlessMissing(() => unlinkSync(path))
      }
    } catch {
      // Where nothing can be removed, it stays; nobody reads it.
    }
  }
}

/** Parts of a store that are symbolic links. */
export function linksIn({ folders, damaged }: Layout): string[] {
  return [...folders, damaged].filter(isLink)
}

/** True for a temporary file whose process has ended. */
export function isAbandoned(path: string, file: string): boolean {
  const [place, pid] = (file.split('.').at(-3) ?? '').split('-')
  const [here] = tempOwner().split('-')
  if (place === here && pid !== undefined) return isGone(Number(pid))
  const stats = unlessMissing(() => statSync(path))
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_TEMP_MS
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

function isFolder(path: string): boolean {
  return unlessMissing(() => statSync(path))?.isDirectory() ?? false
}

/** True when it was missing. */
function makeFolder(path: string): boolean {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  } catch (error) {
    throw writeErrorOf(path, error)
  }
}

function writeOnce(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw writeErrorOf(path, error)
  }
}

function assertOwn(path: string, stats: Stats): void {
  if (!stats.isDirectory()) throw new StoreWriteError('E1310', `Cannot write ${path}: not a folder`)
  const user = process.getuid?.()
  if (user === undefined || stats.uid === user) return
  if ((stats.mode & WRITABLE_BY_OTHERS) === 0) return
  const message = `${path} belongs to another user and is writable by others; refusing to use it`
  throw new StoreWriteError('E1317', message)
}
