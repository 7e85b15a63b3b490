import type { Clock } from '../core/clock.ts'
import type { Store } from '../core/store.ts'
import type { OnFaultPoint } from './file/disk.ts'
import { FileStore } from './file/store.ts'
import { sealedWith } from './sealed/sealed-with.ts'

/** What may be set of a {@link fileStore}. */
export interface FileStoreOptions {
  /** Gives the times that are stored, and decides what is due; the system's clock when absent. */
  readonly clock?: Clock
  /** A longer record is refused; 64 MiB when absent. */
  readonly maxInlineBytes?: number
  /** Written into a new store: which version made it. */
  readonly createdBy?: string
  /** Encrypts what is stored: 32 bytes each in hex or base64. The first writes, all of them read. */
  readonly keys?: readonly string[] | undefined
  /** Called between any two effects on the disk; for tests that end the process or make an effect fail. */
  readonly onFaultPoint?: OnFaultPoint
}

/**
 * Keeps threads in a folder, one readable JSON document each, safe from many processes of one machine
 * and from crashes. The folder is made by the first write.
 * @throws SealedError E1325 for a key that is none
 */
export function fileStore(folder: string, options: FileStoreOptions = {}): Store {
  return sealedWith(options, (inside) => new FileStore(folder, { ...options, ...inside }))
}
