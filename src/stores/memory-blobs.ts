/** Bytes by their SHA-256. */
export class MemoryBlobs {
  readonly #blobs = new Map<string, Uint8Array>()

  /** Keeps a copy and gives its hash. */
  put(bytes: Uint8Array): string {
    const hash = hashOf(bytes)
    if (!this.#blobs.has(hash)) this.#blobs.set(hash, new Uint8Array(bytes))
    return hash
  }

  /** A copy of what has this hash. */
  get(hash: string): Uint8Array | undefined {
    const bytes = this.#blobs.get(hash)
    return bytes && new Uint8Array(bytes)
  }
}

/** SHA-256 of bytes, in lower-case hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex')
}
