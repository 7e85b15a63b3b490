import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadStream } from 'node:tty'

/** What was thrown away, and whether Ctrl+C was in it. */
export interface Drained {
  readonly bytes: number
  readonly interrupted: boolean
}

/** What the keys to drop are. */
export type Stale =
  /** Typed or pasted while nothing was asked. */
  | 'ahead'
  /** Meant for a prompt that was just taken away: whoever types has to notice first. */
  | 'astray'

/** How long nothing must come, and when that is given up. */
interface Patience {
  readonly quietMs: number
  readonly limitMs: number
}

const CTRL_C = 0x03
const PATIENCE: Readonly<Record<Stale, Patience>> = {
  ahead: { quietMs: 60, limitMs: 1000 },
  astray: { quietMs: 600, limitMs: 10_000 },
}
const TICK_MS = 10

/**
 * Reads and drops what was typed or pasted before the prompt stands, until nothing came for a
 * moment: stale keys must not answer. A Ctrl+C among them still counts.
 */
export async function drain(input: ReadStream, stale: Stale = 'ahead'): Promise<Drained> {
  if (!input.isTTY) return { bytes: 0, interrupted: false }
  const wasRaw = input.isRaw
  const start = Date.now()
  const seen = { bytes: 0, interrupted: false, last: start }
  const take = (data: Buffer | string): void => {
    const chunk = Buffer.from(data)
    seen.bytes += chunk.length
    seen.interrupted ||= chunk.includes(CTRL_C)
    seen.last = Date.now()
  }
  input.setRawMode(true)
  input.on('data', take)
  input.resume()
  while (!seen.interrupted && isBusy(seen.last, start, PATIENCE[stale])) await sleep(TICK_MS)
  input.off('data', take)
  input.pause()
  input.setRawMode(wasRaw)
  return { bytes: seen.bytes, interrupted: seen.interrupted }
}

function isBusy(last: number, start: number, { quietMs, limitMs }: Patience): boolean {
  const now = Date.now()
  return now - last < quietMs && now - start < limitMs
}
