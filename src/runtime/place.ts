// A place says where in a task something is, visits included: the keys of its segments, one after another,
// each with `~n` from the second visit on. It is a key, made and read only here and in Scope.

import { segmentKey, type Address } from '../core/address.ts'

/** The places around a place, outermost first: from the task itself, '', to the one just around it. */
export function placesAround(place: string): string[] {
  const around = place === '' ? [] : ['']
  let quoted = false
  for (let at = 0; at < place.length; at += 1) {
    const char = place[at]
    if (char === '\\') at += 1
    else if (char === '"') quoted = !quoted
    else if (char === '[' && !quoted && at > 0) around.push(place.slice(0, at))
  }
  return around
}

/** A place without the number of its last visit, and that number: 0 for the first. */
export function visitOf(place: string): { readonly base: string; readonly visit: number } {
  const end = place.lastIndexOf(']') + 1
  const visit = place.slice(end)
  return visit === ''
    ? { base: place, visit: 0 }
    : { base: place.slice(0, end), visit: Number(visit.slice(1)) }
}

/** The place an address names when every segment is visited for the first time. */
export function placeOf(address: Address): string {
  return address.map(segmentKey).join('')
}

/** The place of a signal's record: below the scope that made it, one per signal. */
export function signalPlace(scope: string, id: string): string {
  return scope + segmentKey({ type: 'component', id })
}
