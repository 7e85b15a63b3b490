import type { Ids, Services } from '../core/clock.ts'

/** Crockford's base32 in lower case: no i, l, o, u; 5 bits a character. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const POOL_BYTES = 4096
const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

/** The real clock, random ids and SHA-256: what production injects into the core. */
export function systemServices(): Services {
  return { clock: Date.now, ids: randomIds, hash: sha256 }
}

const randomIds: Ids = {
  thread: () => randomText(10),
  interrupt: () => `i_${randomText(12)}`,
  unique: () => randomText(26),
}

/** `length` random characters of Crockford base32. */
export function randomText(length: number): string {
  // Reading many at once: one call into the system per 4096 characters.
  if (used + length > POOL_BYTES) {
    process.getBuiltinModule('node:crypto').randomFillSync(pool)
    used = 0
  }
  let text = ''
  for (const end = used + length; used < end; used++) text += ALPHABET[(pool[used] ?? 0) & 31]
  return text
}

/** SHA-256 of the text's UTF-8 form, in lower-case hexadecimal. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
