// The scopes of one entry whose calls were unwound. What such a scope does next, or one around it, it does on an
// answer that nobody gave; the components beside it are on their own.

import { placesAround } from './place.ts'

export class UnwoundPlaces {
  readonly #scopes = new Set<string>()

  /** A call made in the scope at `place` was unwound. */
  add(place: string): void {
    for (const around of placesAround(place)) this.#scopes.add(around)
    this.#scopes.add(place)
  }

  /** True when a call was unwound in the scope at `place`, or in one inside it. */
  has(place: string): boolean {
    return this.#scopes.has(place)
  }
}
