import { relative, sep } from 'node:path'

import { digestOf } from './evidence.ts'

/** A file, and a digest of what was in it. */
export interface LoadedFile {
  readonly path: string
  readonly digest: string
}

/** The same for the same files with the same content, wherever the project stands. */
export function fingerprintOf(root: string, files: readonly LoadedFile[]): string {
  const lines = files.map(({ path, digest }) => {
    return `${relative(root, path).split(sep).join('/')}\0${digest}`
  })
  return `sha256-${digestOf(lines.toSorted().join('\n'))}`
}
