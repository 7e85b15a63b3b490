import { statSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'

import type { Clock } from '../../core/clock.ts'
import type { Cipher } from '../sealed/cipher.ts'
import { KeyRing } from '../sealed/key-ring.ts'
import { checkBlobs } from './blob-check.ts'
import { Disk, type OnFaultPoint } from './disk.ts'
import type { Finding } from './finding.ts'
import { checkFolder, checkManifest } from './folder-check.ts'
import { linksIn, StoreFolder } from './folder.ts'
import { Layout } from './layout.ts'
import { checkLeftovers } from './leftover-check.ts'
import { doneNames, openEntries } from './listing.ts'
import { Locks } from './lock.ts'
import { checkSeals, sealNote } from './seal-check.ts'
import type { Surroundings } from './surroundings.ts'
import { checkThread } from './thread-check.ts'

/** What an inspection saw. */
export interface Inspected {
  /** How many threads were looked at. */
  readonly threads: number
  readonly findings: readonly Finding[]
}

/** What an inspection is made with besides its folder. */
export interface InspectionSettings {
  readonly clock?: Clock
  /** Looks into what is encrypted too. */
  readonly keys?: readonly string[] | undefined
  readonly onFaultPoint?: OnFaultPoint
}

const BATCH = 64

/** Looks at every file of a store's folder; changes nothing unless a finding's repair is called. */
export class Inspection {
  readonly #around: Surroundings
  readonly #cipher: Cipher | undefined

  /** @throws SealedError E1325 */
  constructor(root: string, { clock = Date.now, keys, onFaultPoint }: InspectionSettings = {}) {
    this.#cipher = keys && new KeyRing(keys)
    const layout = new Layout(root)
    const disk = new Disk(layout.temp, onFaultPoint)
    const folder = new StoreFolder(layout, disk, { createdBy: 'doctor', texts: 'any' })
    this.#around = { layout, disk, folder, clock, locks: new Locks(disk), maxInlineBytes: Infinity }
  }

  /** Every finding, those of the folder first. */
  async inspect(): Promise<Inspected> {
    const { layout } = this.#around
    if (statSync(layout.root, { throwIfNoEntry: false }) === undefined)
      return { threads: 0, findings: [] }
    const folder = [...checkFolder(layout), ...checkManifest(this.#around)]
    // A store of another format may have other files too, and what is elsewhere is none of it.
    if (folder.some(({ kind }) => kind === 'newer') || linksIn(layout).length > 0)
      return { threads: 0, findings: folder }
    const names = [...openEntries(layout).map(({ name }) => name), ...doneNames(layout)]
    const unique = [...new Set(names)]
    const findings = [...folder, ...(this.#cipher === undefined ? sealNote(layout) : [])]
    for (const [index, name] of unique.entries()) {
      if (index % BATCH === BATCH - 1) await breathe()
      findings.push(...(await this.#check(name)))
    }
    findings.push(...checkLeftovers(this.#around), ...(await checkBlobs(layout.blobs)))
    return { threads: unique.length, findings }
  }

  async #check(name: string): Promise<Finding[]> {
    const findings = await checkThread(this.#around, name)
    if (this.#cipher === undefined) return findings
    const files = this.#around.layout.filesNamed(name)
    return [...findings, ...(await checkSeals(this.#around, files, this.#cipher))]
  }

  /** Forgets what the repairs had open. */
  close(): void {
    this.#around.locks.close()
    this.#around.disk.close()
  }
}
