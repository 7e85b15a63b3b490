import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadStream } from 'node:tty'

/** What was thrown away, and whether Ctrl+C was in it. */
export interface Drained {
  readonly bytes: number
  readonly interrupted: boolean
}

const CTRL_C = 0x03
const QUIET_MS = 60
const LIMIT_MS = 1000
const TICK_MS = 10

/**
 * Reads and drops what was typed or pasted before the prompt stands, until nothing came for a
 * moment: stale keys must not answer. A Ctrl+C among them still counts.
 */
export async function drain(input: ReadStream): Promise<Drained> {
  if (!input.isTTY) return { bytes: 0, interrupted: false }
  const wasRaw = input.isRaw
  let bytes = 0
  let interrupted = false
  let last = Date.now()
  const start = last
  const take = (data: Buffer | string): void => {
    const chunk = Buffer.from(data)
    bytes += chunk.length
    interrupted ||= chunk.includes(CTRL_C)
    last = Date.now()
  }
  input.setRawMode(true)
  input.on('data', take)
  input.resume()
  while (!interrupted && Date.now() - last < QUIET_MS && Date.now() - start < LIMIT_MS) {
    await sleep(TICK_MS)
  }
  input.off('data', take)
  input.pause()
  input.setRawMode(wasRaw)
  return { bytes, interrupted }
}
