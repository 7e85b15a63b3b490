/** What a level is: built in `node`, `tool`, `agent`, `runnable`, `step`, `interrupt`; component authors add their own. */
export type SegmentType =
  | 'node'
  | 'tool'
  | 'agent'
  | 'runnable'
  | 'step'
  | 'interrupt'
  | (string & {})

/** One level of an {@link Address}. `subId` tells apart parallel calls of the same component. */
export interface AddressSegment {
  readonly type: SegmentType
  readonly id: string
  readonly subId?: string
}

/** The path from the outermost component to the one that runs: where, never which visit. */
export type Address = readonly AddressSegment[]

/** A segment with `subId` left out when there is none. */
export function segment(type: SegmentType, id: string, subId?: string): AddressSegment {
  return subId === undefined || subId === '' ? { type, id } : { type, id, subId }
}

/** The address one level down; the given one is unchanged. */
export function appendSegment(address: Address, added: AddressSegment): Address {
  return [...address, added]
}

/** True when type, id and subId are equal. */
export function sameSegment(a: AddressSegment, b: AddressSegment): boolean {
  return a.type === b.type && a.id === b.id && (a.subId ?? '') === (b.subId ?? '')
}

/** True when both name the same place, segment by segment. */
export function sameAddress(a: Address, b: Address): boolean {
  return a.length === b.length && startsWith(a, b)
}

/** True when `address` lies strictly below `ancestor`. */
export function isDescendantOf(address: Address, ancestor: Address): boolean {
  return address.length > ancestor.length && startsWith(address, ancestor)
}

function startsWith(address: Address, prefix: Address): boolean {
  return prefix.every((wanted, index) => {
    const found = address[index]
    return found !== undefined && sameSegment(found, wanted)
  })
}

/**
 * Text for people: `node:review;tool:search:call_1`. Ids that hold `:`, `;`, `/`, `%` or white space are
 * percent-encoded, so different addresses have different texts. Never used as a key.
 */
export function formatAddress(address: Address, separator = ';'): string {
  return address.map(formatSegment).join(separator)
}

/** Text of one segment: `type:id` or `type:id:subId`. */
export function formatSegment({ type, id, subId }: AddressSegment): string {
  const name = `${escapeId(type)}:${escapeId(id)}`
  return subId === undefined || subId === '' ? name : `${name}:${escapeId(subId)}`
}

const SPECIAL = /[:;/%\s]/gu

function escapeId(text: string): string {
  return text.replace(SPECIAL, encodeURIComponent)
}

/** A structural key for maps: equal exactly for structurally equal segments. */
export function segmentKey({ type, id, subId }: AddressSegment): string {
  return JSON.stringify(subId === undefined || subId === '' ? [type, id] : [type, id, subId])
}
