// Whatever a repair changes or takes away lies afterwards in `damaged/`, as it was.

import { closeSync, constants, copyFileSync, fsyncSync, mkdirSync, renameSync } from 'node:fs'
import { join, relative } from 'node:path'

import { Disk } from './disk.ts'
import { Layout } from './layout.ts'
import { assertOwnFolder, isLink, openOwn } from './own-file.ts'
import { codeOf, unlessMissing, writeErrorOf } from './store-error.ts'
import type { Surroundings } from './surroundings.ts'

const TRIES = 100

/** What copies are made with. */
type Around = Pick<Surroundings, 'layout' | 'disk' | 'clock'>

/** Keeps a durable copy of every file of a thread in the store at `root`; gives their names. @throws StoreWriteError */
export async function keepThread(root: string, threadId: string): Promise<string[]> {
  const layout = new Layout(root)
  const disk = new Disk(layout.temp)
  const { document, log, inbox, done } = layout.filesOf(threadId)
  const kept: string[] = []
  for (const path of [document, log, inbox, done]) {
    const copy = await keepCopy({ layout, disk, clock: Date.now }, path)
    if (copy !== undefined) kept.push(copy)
  }
  disk.close()
  return kept
}

/** Keeps a durable copy of a file; gives its name, or undefined when there is no such file. @throws StoreWriteError */
export async function keepCopy(around: Around, path: string): Promise<string | undefined> {
  // Of a link there is nothing to keep but the link.
  if (isLink(path)) return moveAway(around, path)
  const copy = await placeFor(around, path, (to) => {
    copyFileSync(path, to, constants.COPYFILE_EXCL)
    syncFile(to)
  })
  return copy
}

/** Moves a file or folder to where the copies lie. @throws StoreWriteError */
export async function moveAway(around: Around, path: string): Promise<string | undefined> {
  return placeFor(around, path, (to) => renameSync(path, to))
}

async function placeFor(
  { layout, disk, clock }: Around,
  path: string,
  put: (to: string) => void,
): Promise<string | undefined> {
  try {
    assertOwnFolder(layout.damaged)
    mkdirSync(layout.damaged, { recursive: true, mode: 0o700 })
    const time = new Date(clock()).toISOString().replaceAll(':', '-')
    const name = `${nameOf(relative(layout.root, path))}.${time}`
    const placed = unlessMissing(() => firstFree(join(layout.damaged, name), put))
    if (placed !== undefined) await disk.syncFolder(layout.damaged)
    return placed
  } catch (error) {
    throw writeErrorOf(path, error)
  }
}

function firstFree(base: string, put: (to: string) => void): string {
  for (let number = 1; ; number++) {
    const to = number === 1 ? base : `${base}-${number}`
    try {
      put(to)
      return to
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || number >= TRIES) throw error
    }
  }
}

/** The name of a thread's file says which it is; that of others needs their folder. */
function nameOf(path: string): string {
  return path.replace(/^threads[\\/]/u, '').replaceAll(/[\\/]/gu, '.')
}

function syncFile(path: string): void {
  const fd = openOwn(path, 'change')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
