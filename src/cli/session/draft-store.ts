import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { decode, encode } from '../../core/codec.ts'
import type { JsonValue } from '../../core/json.ts'
import type { DraftStore } from '../prompt/handler.ts'

/** Keeps half-filled forms beside the threads. A draft that can't be kept or read is no draft. */
export function createDraftStore(storeDir: string): DraftStore {
  const folder = join(storeDir, 'drafts')
  const fileOf = (interruptId: string): string =>
    join(folder, `${encodeURIComponent(interruptId)}.json`)
  return {
    load: async (interruptId) => {
      const draft = read(fileOf(interruptId))
      // It is asked now: what is filled in is kept anew when the person leaves again.
      if (draft !== undefined) rmSync(fileOf(interruptId), { force: true })
      return draft
    },
    save: async (interruptId, draft) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(fileOf(interruptId), JSON.stringify(encode(draft)), { mode: 0o600 })
      } catch {
        // The question stays open with or without it.
      }
    },
  }
}

function read(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const draft = decode(JSON.parse(readFileSync(file, 'utf8')) as JsonValue)
    return isRecord(draft) ? draft : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
