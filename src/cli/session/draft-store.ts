import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { decode, encode } from '../../core/codec.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Place } from '../../stores/sealed/cipher.ts'
import { KeyRing } from '../../stores/sealed/key-ring.ts'
import { opening, sealing, type TextMap } from '../../stores/sealed/sealed-text.ts'
import type { DraftStore } from '../prompt/handler.ts'

/** Keeps half-filled forms beside the threads. A draft that can't be kept or read is no draft. */
export function createDraftStore(
  storeDir: string,
  keys: readonly string[] | undefined,
): DraftStore {
  const folder = join(storeDir, 'drafts')
  const cipher = keys && new KeyRing(keys)
  const seal: TextMap = cipher ? sealing(cipher) : asItIs
  const open: TextMap = cipher ? opening(cipher) : asItIs
  const fileOf = (interruptId: string): string =>
    join(folder, `${encodeURIComponent(interruptId)}.json`)
  return {
    load: async (interruptId) => {
      const draft = read(fileOf(interruptId), (text) => open(text, placeOf(interruptId)))
      // It is asked now: what is filled in is kept anew when the person leaves again.
      if (draft !== undefined) rmSync(fileOf(interruptId), { force: true })
      return draft
    },
    save: async (interruptId, draft) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const text = seal(JSON.stringify(encode(draft)), placeOf(interruptId))
        writeFileSync(fileOf(interruptId), text, { mode: 0o600 })
      } catch {
        // The question stays open with or without it.
      }
    },
  }
}

function placeOf(interruptId: string): Place {
  return ['draft', interruptId]
}

function asItIs(text: string): string {
  return text
}

function read(
  file: string,
  open: (text: string) => string,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const draft = decode(JSON.parse(open(readFileSync(file, 'utf8'))) as JsonValue)
    return isRecord(draft) ? draft : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
