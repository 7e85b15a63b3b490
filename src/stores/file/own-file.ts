// Files of a store are files. A link in the place of one would lead out of the folder, and a pipe would hold up
// whoever opens it: neither is opened.

import { closeSync, constants, lstatSync, openSync, readFileSync, writeSync } from 'node:fs'

import { DamagedError } from '../../core/errors.ts'
import { codeOf, reasonOf, unlessMissing } from './store-error.ts'

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants
// Windows has neither; there both are undefined, which counts as 0.
const OWN = constants.O_NOFOLLOW | constants.O_NONBLOCK

/** How a file is opened: to read, to read and write in it, to add to its end, to write it anew. */
export type Access = 'read' | 'change' | 'append' | 'read-append' | 'overwrite'

const FLAGS: Readonly<Record<Access, number>> = {
  read: O_RDONLY | OWN,
  change: O_RDWR | OWN,
  append: O_WRONLY | O_APPEND | O_CREAT | OWN,
  'read-append': O_RDWR | O_APPEND | O_CREAT | OWN,
  overwrite: O_WRONLY | O_CREAT | O_TRUNC | OWN,
}

/** Opens a file for its owner only; the system refuses a link. */
export function openOwn(path: string, access: Access): number {
  return openSync(path, FLAGS[access], 0o600)
}

/** All of a file; undefined when there is none. @throws DamagedError */
export function readOwn(path: string): Buffer | undefined {
  return readWith(path, (fd) => readFileSync(fd))
}

/** {@link readOwn} as text. @throws DamagedError */
export function readOwnText(path: string): string | undefined {
  return readWith(path, (fd) => readFileSync(fd, 'utf8'))
}

function readWith<T>(path: string, read: (fd: number) => T): T | undefined {
  let fd: number | undefined
  try {
    fd = openOwn(path, 'read')
    return read(fd)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new DamagedError(path, `can't be read: ${reasonOf(error)}`)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Writes a file over in place; the system refuses a link. */
export function overwriteOwn(path: string, text: string): void {
  const fd = openOwn(path, 'overwrite')
  try {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
  } finally {
    closeSync(fd)
  }
}

/** True for a symbolic link, wherever it leads. */
export function isLink(path: string): boolean {
  return unlessMissing(() => lstatSync(path))?.isSymbolicLink() ?? false
}

/** Refuses a folder that is elsewhere. @throws DamagedError */
export function assertOwnFolder(path: string): void {
  if (isLink(path)) throw new DamagedError(path, 'is a symbolic link, and is not followed')
}
