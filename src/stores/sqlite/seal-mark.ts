import { SealedError } from '../../core/errors.ts'
import type { StoredTexts } from '../file/folder.ts'
import type { Connection } from './driver.ts'

/** Number by which a database says that its texts are sealed; 0 is what every new one has. */
const SEALED = 1

/** Refuses a plain look at sealed texts. @throws SealedError E1322 */
export function assertReadable(connection: Connection, path: string, texts: StoredTexts): void {
  if (texts === 'plain' && isMarked(connection))
    throw new SealedError('E1322', path, 'is encrypted')
}

/** Says for good that texts are sealed here; inside a transaction that writes. */
export function markSealed(connection: Connection): void {
  if (!isMarked(connection)) connection.exec(`pragma user_version = ${SEALED}`)
}

function isMarked(connection: Connection): boolean {
  return connection.prepare('pragma user_version').get([])?.['user_version'] === SEALED
}
