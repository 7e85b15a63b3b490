// A sealed text stands in a store as JSON: `{"$sealed":"hx1:<key id>:<base64>"}`. Members beside it were added by
// who had no key (a repair), and belong to the opened object too.

import type { JsonText } from '../../core/store.ts'
import { fromStored, toStored } from '../sqlite/stored-text.ts'
import { SEAL_MARK, type Cipher, type Place } from './cipher.ts'

const BEGINNING = `{"$sealed":"${SEAL_MARK}`
const PREFIX_LENGTH = SEAL_MARK.length + 13

/** Turns a text that belongs somewhere into another. */
export type TextMap = (text: JsonText, place: Place) => JsonText

/** Seals texts; what is empty stays so. */
export function sealing(cipher: Cipher): TextMap {
  return (text, place) => (text === '' ? text : sealText(cipher, text, place))
}

/** Opens sealed texts; what was stored without a key stays as it is. */
export function opening(cipher: Cipher): TextMap {
  return (text, place) => {
    if (!isSealedText(text)) return text
    const { $sealed, ...added } = JSON.parse(text) as Readonly<Record<string, string>>
    const opened = openText(cipher, $sealed ?? '', place)
    return Object.keys(added).length === 0 ? opened : withMembers(opened, added)
  }
}

/**
 * Seals the texts of one thread under the key that writes now, whatever they are under. What was the same text in
 * two places of the store stays the same: a change, and what it has made.
 */
export function resealing(cipher: Cipher): TextMap {
  const open = opening(cipher)
  const seal = sealing(cipher)
  const known = new Map<string, JsonText>()
  return (text, place) => {
    const key = `${JSON.stringify(place)} ${text}`
    const sealed = known.get(key) ?? seal(open(text, place), place)
    known.set(key, sealed)
    return sealed
  }
}

/** True for a text that was sealed. */
function isSealedText(text: JsonText): boolean {
  return text.startsWith(BEGINNING)
}

/** How long a text of so many bytes may be once it is sealed. */
export function sealedLength(bytes: number): number {
  return Math.ceil(((bytes + 64) * 4) / 3) + 128
}

function sealText(cipher: Cipher, text: string, place: Place): JsonText {
  const sealed = Buffer.from(cipher.seal(Buffer.from(toStored(text)), place))
  const prefix = sealed.toString('latin1', 0, PREFIX_LENGTH)
  return `{"$sealed":"${prefix}${sealed.toString('base64', PREFIX_LENGTH)}"}`
}

function openText(cipher: Cipher, sealed: string, place: Place): string {
  const prefix = Buffer.from(sealed.slice(0, PREFIX_LENGTH), 'latin1')
  const body = Buffer.from(sealed.slice(PREFIX_LENGTH), 'base64')
  return fromStored(Buffer.from(cipher.open(Buffer.concat([prefix, body]), place)).toString())
}

function withMembers(text: string, added: object): string {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' ? JSON.stringify({ ...value, ...added }) : text
}
