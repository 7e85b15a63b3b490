// What keeping values costs beside JSON.stringify. Run: npx tsx bench/codec.ts

import { canonical } from '../src/core/canonical.ts'
import { decode, encode } from '../src/core/codec.ts'
import type { JsonValue } from '../src/core/json.ts'
import { copyOf, seal } from '../src/core/seal.ts'

const ROUNDS = 9
const ROUND_MS = 20

const samples: Record<string, unknown> = {
  '{ n: 1 }': { n: 1 },
  '1 kB of JSON': {
    commits: Array.from({ length: 6 }, (_, index) => ({
      sha: `a1b2c3d4e5f6a7b8c9${index}`,
      subject: `Fix the thing that was broken ${index}`,
      author: 'ann@example.com',
      files: index * 3,
    })),
    bump: 'minor',
    done: false,
    notes: 'x'.repeat(200),
  },
  '1 MB of JSON': Array.from({ length: 9_000 }, (_, id) => item(id)),
  '10 items, a Date, a Map': {
    at: new Date(0),
    seen: new Map([['a', 1]]),
    items: Array.from({ length: 10 }, (_, id) => item(id)),
  },
}

for (const [name, value] of Object.entries(samples)) measure(name, value)
measureAppend()

function item(id: number): object {
  const nested = { a: 1, b: 'text', c: null }
  return { id, name: `item ${id}`, done: id % 2 === 0, tags: ['a', 'b'], price: id * 1.5, nested }
}

function measure(name: string, value: unknown): void {
  const sealed = seal(value)
  const text = JSON.stringify(encode(value))
  const parse = (): JsonValue => JSON.parse(text)
  const base = time(() => JSON.stringify(value))
  console.log(`${name} (${text.length} characters)`)
  report('JSON.stringify', base, base)
  report(
    'encode',
    time(() => encode(value)),
    base,
  )
  report(
    'encode, sealed',
    time(() => encode(sealed)),
    base,
  )
  report('decode', time(() => decode(parse())) - time(parse), base)
  report(
    'seal',
    time(() => seal(value)),
    base,
  )
  report(
    'copyOf',
    time(() => copyOf(sealed)),
    base,
  )
  report(
    'canonical',
    time(() => canonical(value)),
    base,
  )
}

/** What a reducer that appends to a list costs each time. */
function measureAppend(): void {
  const list = seal(Array.from({ length: 9_000 }, (_, id) => item(id)))
  const base = time(() => [...list, { id: 0 }])
  console.log('One more element of 9,000 sealed ones')
  report('spread', base, base)
  report(
    'spread, seal',
    time(() => seal([...list, { id: 0 }])),
    base,
  )
}

/** Microseconds of one call: the median of several rounds. */
function time(run: () => unknown): number {
  let calls = 1
  while (round(run, calls) * calls < ROUND_MS * 1_000) calls *= 2
  const rounds = Array.from({ length: ROUNDS }, () => round(run, calls))
  return rounds.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
}

function round(run: () => unknown, calls: number): number {
  const start = performance.now()
  for (let call = 0; call < calls; call += 1) run()
  return ((performance.now() - start) * 1_000) / calls
}

function report(what: string, micros: number, base: number): void {
  console.log(
    `  ${what.padEnd(16)} ${micros.toFixed(3).padStart(10)} µs ${(micros / base).toFixed(2)} ×`,
  )
}
