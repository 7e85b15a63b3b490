import type { Clock } from '../../core/clock.ts'
import type { Disk } from './disk.ts'
import type { StoreFolder } from './folder.ts'
import type { Layout } from './layout.ts'
import type { Locks } from './lock.ts'

/** What everything in one store shares. */
export interface Surroundings {
  readonly layout: Layout
  readonly folder: StoreFolder
  readonly disk: Disk
  readonly locks: Locks
  readonly clock: Clock
  readonly maxInlineBytes: number
}

/** Now, as ISO time. */
export function nowOf({ clock }: Pick<Surroundings, 'clock'>): string {
  return new Date(clock()).toISOString()
}
