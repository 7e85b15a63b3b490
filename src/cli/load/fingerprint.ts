import { dirname, relative, sep } from 'node:path'

import { digestOf } from './evidence.ts'

/** A file, and a digest of what was in it. */
export interface LoadedFile {
  readonly path: string
  readonly digest: string
}

/** The same for the same files with the same content, wherever the flow and its project stand. */
export function fingerprintOf(flowFile: string, files: readonly LoadedFile[]): string {
  const lines = files.map(({ path, digest }) => {
    // The flow's own name counts for nothing; where it finds the others does.
    const place = path === flowFile ? '' : relative(dirname(flowFile), path)
    return `${place.split(sep).join('/')}\0${digest}`
  })
  return `sha256-${digestOf(lines.toSorted().join('\n'))}`
}
