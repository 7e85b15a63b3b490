import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readlinkSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs'

import { DamagedError, NewerFormatError } from '../../core/errors.ts'
import type { Finding } from './finding.ts'
import { linksIn } from './folder.ts'
import { FORMAT, readJsonObject } from './json-file.ts'
import { keepCopy } from './kept-copy.ts'
import type { Layout } from './layout.ts'
import { replaceFile } from './replacement.ts'
import { codeOf } from './store-error.ts'
import type { Surroundings } from './surroundings.ts'

const OTHERS = 0o077
const OWNER_ONLY = 0o700

/** Owner, permissions and place of the store's folder. */
export function checkFolder(layout: Layout): Finding[] {
  const { root } = layout
  const stats = statSync(root)
  const user = process.getuid?.()
  if (!stats.isDirectory()) return [folderProblem(root, 'is not a folder')]
  return [
    ...linkNote(root),
    ...linksIn(layout).map(linkProblem),
    ...(user === undefined || stats.uid === user ? [] : [ownerFinding(root, stats, user)]),
    ...(process.platform === 'win32' ? [] : modeFindings(root, stats, user)),
    ...writableFindings(root),
  ]
}

/** The file that says which format a store has. */
export function checkManifest(around: Surroundings): Finding[] {
  const { manifest } = around.layout
  try {
    readJsonObject(manifest)
    return []
  } catch (error) {
    if (error instanceof NewerFormatError) return [newerFinding(manifest, error)]
    if (!(error instanceof DamagedError)) throw error
    const problem = String(error.details['problem'])
    const repair = (): Promise<string> => rewriteManifest(around)
    return [{ kind: 'damaged', file: manifest, problem, weight: 'problem', repair }]
  }
}

async function rewriteManifest(around: Surroundings): Promise<string> {
  const { manifest } = around.layout
  await keepCopy(around, manifest)
  const text = `${JSON.stringify({ format: FORMAT, createdBy: 'doctor' })}\n`
  await replaceFile(around.disk, manifest, Buffer.from(text))
  return 'wrote it anew'
}

function newerFinding(file: string, { details }: NewerFormatError): Finding {
  return {
    kind: 'newer',
    file,
    problem: `was written by a newer hexagon (format ${String(details['format'])}); nothing in it was looked at`,
    weight: 'problem',
    hint: 'Use that version.',
  }
}

function linkNote(root: string): Finding[] {
  if (!lstatSync(root).isSymbolicLink()) return []
  const problem = `is a symbolic link to ${realpathSync(root)}`
  return [{ kind: 'folder', file: root, problem, weight: 'note' }]
}

/** Nothing behind it is looked at. */
function linkProblem(file: string): Finding {
  const problem = `is a symbolic link to ${readlinkSync(file)}, and is not followed`
  return {
    ...folderProblem(file, problem),
    hint: 'Put the folder itself in its place, or link the whole store.',
  }
}

function ownerFinding(root: string, { uid, mode }: Stats, user: number): Finding {
  const isOpen = (mode & 0o022) !== 0
  const problem = `belongs to user ${uid}, not to ${user}${isOpen ? ', and others may write in it' : ''}`
  return {
    ...folderProblem(root, problem),
    hint: isOpen
      ? 'Use a folder of your own: --cwd, or storeDir in the configuration.'
      : 'chown it.',
  }
}

function modeFindings(root: string, { mode, uid }: Stats, user: number | undefined): Finding[] {
  if ((mode & OTHERS) === 0) return []
  const problem = `is open to other users (${(mode & 0o777).toString(8)}); it holds what threads know`
  const hint = `chmod 700 ${root}`
  if (uid !== user) return [{ ...folderProblem(root, problem), hint }]
  const repair = async (): Promise<string> => {
    chmodSync(root, OWNER_ONLY)
    return 'closed it to others (700)'
  }
  return [{ ...folderProblem(root, problem), repair }]
}

function writableFindings(root: string): Finding[] {
  try {
    accessSync(root, constants.W_OK)
    return []
  } catch (error) {
    return [folderProblem(root, `cannot be written (${codeOf(error)})`)]
  }
}

function folderProblem(file: string, problem: string): Finding {
  return { kind: 'folder', file, problem, weight: 'problem' }
}
