import { join } from 'node:path'

import { fileStore, sqliteStore, type Store } from 'hexagon/stores'

/** The stores that are killed. */
export const KINDS = ['file', 'sqlite'] as const

export type Kind = (typeof KINDS)[number]

/** Where a round's store lies. */
export function placeOf(kind: Kind, folder: string): string {
  return join(folder, kind === 'file' ? '.hexagon' : 'threads.db')
}

/** Opens a round's store; `at` is called between any two of its effects. */
export function storeAt(kind: Kind, folder: string, at: (point: string) => void): Store {
  const path = placeOf(kind, folder)
  return kind === 'file'
    ? fileStore(path, { onFaultPoint: at })
    : sqliteStore(path, { onFaultPoint: at })
}
