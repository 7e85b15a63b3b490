// What hostile input is made of: recorded texts, values and names, and arbitraries that mix them.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import * as fc from 'fast-check'
import { expect } from 'vitest'

/** How often a property is drawn: a few times in the gate, more with `HEXAGON_HOSTILE_RUNS=5000`. */
export function hostileRuns(few: number): { numRuns: number; seed: number } {
  const asked = process.env['HEXAGON_HOSTILE_RUNS']
  return {
    numRuns: asked === undefined ? few : Number(asked),
    seed: Number(process.env['HEXAGON_HOSTILE_SEED'] ?? 1),
  }
}

/** Names that lead elsewhere, or that some system takes for another name. */
export const hostileIds: readonly string[] = [
  ...recorded('thread-ids'),
  'x'.repeat(200),
  'x'.repeat(201),
  'x'.repeat(10_000),
  '../'.repeat(3_000),
  '\u00e9'.repeat(200),
  '\u{1f40e}'.repeat(100),
]

/** Texts that a terminal or a CI log would obey, or that read otherwise than they are written. */
export const hostileTexts: readonly string[] = recorded('texts')

/** JSON values in the place of which something else is expected; `DEEP` stands for lists in each other. */
export const hostileValues: readonly string[] = [...recorded('values'), 'DEEP']

/** A text of pieces of {@link hostileTexts} and of anything else. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom(...hostileTexts), weight: 3 },
      { arbitrary: fc.string({ unit: 'binary', maxLength: 5 }), weight: 1 },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''))

/** What no terminal may get: control characters but line feed, marks of direction, what shows nothing. */
export const HARMFUL =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\p{Surrogate}/u

/** Lists in each other, as JSON text. */
export function deepList(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

/** Fails when something has changed what all objects inherit. */
export function expectCleanPrototypes(): void {
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype]) {
    expect(Reflect.get(prototype, 'polluted')).toBeUndefined()
    expect(Reflect.get(prototype, 'isAdmin')).toBeUndefined()
  }
  expect(Object.keys(Object.prototype)).toEqual([])
}

/** The JSON text with one member, found by walking on `steps`, replaced by another text or removed. */
export function forged(json: string, steps: readonly number[], value: string | undefined): string {
  const root: unknown = JSON.parse(json)
  const path = pathAlong(root, steps)
  const last = path.pop()
  if (last === undefined) return written(value)
  const mark = 'd41d8cd98f00b204'
  if (value === undefined) Reflect.deleteProperty(last.holder, last.key)
  else Reflect.defineProperty(last.holder, last.key, { ...OWN, value: mark })
  return JSON.stringify(root).replace(`"${mark}"`, () => written(value))
}

function written(value: string | undefined): string {
  return value === 'DEEP' ? deepList(20_000) : (value ?? '')
}

const OWN = { enumerable: true, writable: true, configurable: true }

interface Place {
  readonly holder: object
  readonly key: string
}

function pathAlong(root: unknown, steps: readonly number[]): Place[] {
  const path: Place[] = []
  let at = root
  for (const step of steps) {
    if (typeof at !== 'object' || at === null) break
    const keys = Object.keys(at)
    const key = keys[step % Math.max(1, keys.length)]
    if (key === undefined) break
    path.push({ holder: at, key })
    at = Reflect.get(at, key)
  }
  return path
}

function recorded(name: string): string[] {
  const file = resolve(import.meta.dirname, `../corpora/${name}.json`)
  return JSON.parse(readFileSync(file, 'utf8')) as string[]
}
