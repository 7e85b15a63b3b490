/** Where a sealed text belongs: what it is, and of which thread. It opens nowhere else. */
export type Place = readonly [kind: string, ...where: readonly (string | number)[]]

/** Makes bytes unreadable for who has no key, and tells when they were changed. */
export interface Cipher {
  /** Which key writes. */
  readonly keyId: string
  /** Different each time; begins with {@link SEAL_MARK}. */
  seal(bytes: Uint8Array, place: Place): Uint8Array
  /** The same bytes seal to the same, so that they can be found again. */
  sealAlike(bytes: Uint8Array, place: Place): Uint8Array
  /** @throws SealedError E1323, E1324 */
  open(sealed: Uint8Array, place: Place): Uint8Array
}

/** What sealed bytes begin with; then the id of their key, 12 hexadecimal digits, and a colon. */
export const SEAL_MARK = 'hx1:'

/** True for what {@link Cipher.seal} wrote. */
export function isSealed(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, SEAL_MARK.length)).toString('latin1') === SEAL_MARK
}
