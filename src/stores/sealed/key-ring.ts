// AES-256-GCM with a fresh random nonce for every text. What a text is and where it belongs is authenticated with
// it, so that none can be put in the place of another.

import { SealedError } from '../../core/errors.ts'
import { SEAL_MARK, type Cipher, type Place } from './cipher.ts'

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ID_LENGTH = 12
const HEAD_BYTES = SEAL_MARK.length + ID_LENGTH + 1
/** Randomness is fetched for many nonces at once. */
const POOL_BYTES = NONCE_BYTES * 256

/** Keys of which the first writes and all read. */
export class KeyRing implements Cipher {
  readonly keyId: string
  readonly #crypto = process.getBuiltinModule('node:crypto')
  readonly #keys = new Map<string, Key>()
  readonly #first: Key
  #pool = Buffer.alloc(0)

  /** @throws SealedError E1325 */
  constructor(keys: readonly string[]) {
    const read = keys.map((text, index) => this.#read(text, index + 1))
    const [first] = read
    if (first === undefined) throw new SealedError('E1325', 'The list of keys', 'is empty')
    for (const key of read) this.#keys.set(key.id, key)
    this.#first = first
    this.keyId = first.id
  }

  seal(bytes: Uint8Array, place: Place): Uint8Array {
    return this.#encrypt(bytes, place, this.#nonce())
  }

  sealAlike(bytes: Uint8Array, place: Place): Uint8Array {
    const mac = this.#crypto.createHmac('sha256', this.#first.bytes)
    // Under one key no two contents have this nonce in common.
    const nonce = mac.update(contextOf(place)).update('\0').update(bytes).digest()
    return this.#encrypt(bytes, place, nonce.subarray(0, NONCE_BYTES))
  }

  open(sealed: Uint8Array, place: Place): Uint8Array {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    const what = nameOf(place)
    const id = bytes.toString('latin1', SEAL_MARK.length, HEAD_BYTES - 1)
    const key = this.#keys.get(id)
    if (key === undefined) {
      const given = [...this.#keys.keys()].join(', ')
      throw new SealedError('E1323', what, `is encrypted with key ${id}; given: ${given}`)
    }
    try {
      return this.#decrypt(key, bytes, place)
    } catch {
      throw new SealedError('E1324', what, 'is not what was encrypted there')
    }
  }

  #encrypt(bytes: Uint8Array, place: Place, nonce: Buffer): Buffer {
    const { id, bytes: key } = this.#first
    const cipher = this.#crypto.createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(contextOf(place))
    const body = cipher.update(bytes)
    cipher.final()
    const head = Buffer.from(`${SEAL_MARK}${id}:`, 'latin1')
    return Buffer.concat([head, nonce, body, cipher.getAuthTag()])
  }

  #decrypt(key: Key, bytes: Buffer, place: Place): Buffer {
    const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
    const decipher = this.#crypto.createDecipheriv('aes-256-gcm', key.bytes, nonce, {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(contextOf(place))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    const body = decipher.update(bytes.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([body, decipher.final()])
  }

  #nonce(): Buffer {
    if (this.#pool.length < NONCE_BYTES) this.#pool = this.#crypto.randomBytes(POOL_BYTES)
    const nonce = this.#pool.subarray(0, NONCE_BYTES)
    this.#pool = this.#pool.subarray(NONCE_BYTES)
    return nonce
  }

  /** What a key that can't be used looks like is not told: it may be a key with a slip in it. */
  #read(text: string, number: number): Key {
    const bytes = bytesOf(text.trim())
    if (bytes?.length !== KEY_BYTES) {
      throw new SealedError('E1325', `Key ${number}`, `is not ${KEY_BYTES} bytes in hex or base64`)
    }
    const mac = this.#crypto.createHmac('sha256', bytes).update('hexagon key id').digest('hex')
    return { id: mac.slice(0, ID_LENGTH), bytes }
  }
}

function bytesOf(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/iu.test(text)) return Buffer.from(text, 'hex')
  return /^[\w+/-]{43}=?$/u.test(text) ? Buffer.from(text, 'base64') : undefined
}

function contextOf(place: Place): Buffer {
  return Buffer.from(JSON.stringify(['hexagon', 1, ...place]))
}

/** A place in words: `thread "t": record "a"`. */
function nameOf([kind, thread, ...rest]: Place): string {
  if (kind === 'blob') return `Blob ${String(thread ?? '')}`.trim()
  const which = rest.map((part) => JSON.stringify(part)).join(' ')
  const what = which === '' ? kind : `${kind} ${which}`
  return thread === undefined ? what : `Thread ${JSON.stringify(thread)}: ${what}`
}
