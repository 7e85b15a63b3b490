import { digestOf } from './evidence.ts'
import { nameIn } from './find/flow-file.ts'

/** A file, and a digest of what was in it. */
export interface LoadedFile {
  readonly path: string
  readonly digest: string
}

/** The same for the same files with the same content, wherever the project stands. */
export function fingerprintOf(root: string, files: readonly LoadedFile[]): string {
  const lines = files.map(({ path, digest }) => `${nameIn(root, path)}\0${digest}`)
  return `sha256-${digestOf(lines.toSorted().join('\n'))}`
}
