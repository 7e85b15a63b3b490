import { resolve } from 'node:path'

import { HexagonError } from '../core/errors.ts'
import type { Store } from '../core/store.ts'
import type { Archive } from '../stores/archive.ts'
import { toClose } from './opened-stores.ts'
import { hexagonVersion } from './version.ts'

/** Which store, and where it lies. */
export interface StoreChoice {
  readonly kind: 'file' | 'sqlite'
  readonly path: string
  /** What its threads are encrypted with. */
  readonly keys?: readonly string[] | undefined
}

/** Reads `file:DIR` or `sqlite:FILE`, relative to `base`. @throws HexagonError E1018 */
export function readStoreChoice(text: string, base: string): StoreChoice {
  const [, kind, path = ''] = /^(file|sqlite):(.+)$/su.exec(text) ?? []
  if (kind === 'file' || kind === 'sqlite') return { kind, path: resolve(base, path) }
  if (text === 'memory' || text.startsWith('memory:')) {
    throw new HexagonError('E1018', 'Threads in memory end with the command', {
      hint: 'To keep nothing on disk: hexagon run <flow> --ephemeral',
    })
  }
  throw new HexagonError('E1018', `Unknown store "${text}"`, {
    hint: 'A store is file:DIR or sqlite:FILE.',
    details: { value: text },
  })
}

/**
 * What opens a chosen store; the process closes it at its end. What a kind needs is loaded only when that kind is
 * chosen.
 */
export async function storeOpener({ kind, path, keys }: StoreChoice): Promise<() => Store> {
  const createdBy = hexagonVersion()
  if (kind === 'file') {
    const { fileStore } = await import('../stores/file.ts')
    return () => toClose(fileStore(path, { createdBy, keys }))
  }
  const { sqliteStore } = await import('../stores/sqlite.ts')
  return () => toClose(sqliteStore(path, { createdBy, keys }))
}

/** A chosen store's threads with all their past. */
export async function archiveOf({ kind, path, keys }: StoreChoice): Promise<Archive> {
  const createdBy = hexagonVersion()
  // Texts go over as they are; who has a key says in the other store too that it takes one.
  const texts = keys === undefined ? 'plain' : 'sealed'
  if (kind === 'file') {
    const { FileArchive } = await import('../stores/file/archive.ts')
    return new FileArchive(path, { createdBy, texts })
  }
  const { SqliteArchive } = await import('../stores/sqlite/archive.ts')
  return new SqliteArchive(path, { createdBy, texts })
}
