// Runs threads in real processes and kills these with SIGKILL, until every thread has ended. Then it counts: no
// answer lost or taken twice, no effect lost, none repeated but by a process after a killed one, no step that runs
// once run twice, every file readable.
//
//   npm run chaos -- [--store=file|sqlite] [--seed=N] [--kills=200] [--threads=N --processes=N]
//   npm run chaos -- --matrix [--store=file|sqlite] [--seed=N] [--only=TEXT,…]
//
// Without `--matrix` processes are killed at seeded instants. With it they end themselves, one after the other, at
// every named point of a thread's life. Both go through 1, 2 and 8 processes on one thread and on many.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { bundle } from '../support/bundle.ts'
import { live, playRound, SPARED, type Doom, type Play } from './round.ts'
import { KINDS, type Kind } from './store-at.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    seed: { type: 'string' },
    threads: { type: 'string' },
    processes: { type: 'string' },
    kills: { type: 'string', default: '200' },
    matrix: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const kinds = KINDS.filter((kind) => values.store === undefined || values.store === kind)
const seed = Number(values.seed ?? Math.floor(Date.now() % 1_000_000))
const work = mkdtempSync(join(tmpdir(), 'hexagon-chaos-'))
const worker = join(work, 'worker.mjs')

/** How many processes work on how many threads. */
interface Crowd {
  readonly processes: number
  readonly threads: number
}

const chosen = { processes: Number(values.processes ?? 2), threads: Number(values.threads ?? 6) }
const isChosen = values.processes !== undefined || values.threads !== undefined
const CROWDS: readonly Crowd[] = isChosen
  ? [chosen]
  : [
      { processes: 1, threads: 1 },
      { processes: 2, threads: 1 },
      { processes: 8, threads: 1 },
      { processes: 2, threads: 4 },
      { processes: 8, threads: 4 },
    ]

/** Numbers from 0 to 1 that the seed decides (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const random = randomFrom(seed)
const violations: string[] = []

function playOf(kind: Kind, crowd: Crowd): Play {
  return { worker, work, kind, random, ...crowd }
}

function headOf(kind: Kind, what: string): string {
  const names = CROWDS.map(({ processes, threads }) => `${processes} on ${threads}`)
  return `\n| ${kind}: ${what} | ${names.join(' | ')} |\n|---${'|--:'.repeat(CROWDS.length)}|`
}

function cellOf(kills: number, bad: number): string {
  return bad === 0 ? String(kills) : `**${kills} (${bad} violations)**`
}

/** How long a thread takes from start to end when nobody kills it, in milliseconds. */
async function calm(kind: Kind): Promise<number> {
  const folder = mkdtempSync(join(work, 'calm-'))
  const began = performance.now()
  await live({ worker, kind }, { folder, id: 't0', doom: SPARED })
  return performance.now() - began
}

/** Kills at seeded instants, in each crowd until it were enough. */
async function soak(kind: Kind): Promise<string> {
  const calmMs = await calm(kind)
  const before = violations.length
  const cells: string[] = []
  let kills = 0
  let threads = 0
  for (const crowd of CROWDS) {
    const longestMs = calmMs * Math.max(1, crowd.processes / 2)
    const doom = (): Doom => ({ ...SPARED, afterMs: random() * longestMs })
    const own = { kills: 0, bad: 0 }
    while (own.kills < Number(values.kills) / CROWDS.length) {
      const played = await playRound(playOf(kind, crowd), doom)
      own.kills += played.kills
      own.bad += played.violations.length
      threads += crowd.threads
      violations.push(...played.violations)
    }
    kills += own.kills
    cells.push(cellOf(own.kills, own.bad))
  }
  say(`${headOf(kind, 'killed at')}\n| any instant | ${cells.join(' | ')} |\n`)
  return `seed ${seed}, ${kind}: ${kills} kills, ${threads} threads, ${violations.length - before} violations`
}

/** Every point that processes pass which share a few threads, and how often a calm one passes it. */
async function pointsOf(kind: Kind): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const doom: Doom = { point: 'record', pass: 1 }
  const alone = mkdtempSync(join(work, 'points-'))
  await live({ worker, kind }, { folder: alone, id: 't0', doom })
  const shared = mkdtempSync(join(work, 'points-'))
  await Promise.all([1, 2, 3].map(() => live({ worker, kind }, { folder: shared, id: 't0', doom })))
  for (const folder of [alone, shared]) {
    const passed = readFileSync(join(folder, 'points'), 'utf8').trim().split('\n')
    const own = new Map<string, number>()
    for (const point of passed) own.set(point, (own.get(point) ?? 0) + 1)
    for (const [point, count] of own) if (!counts.has(point)) counts.set(point, count)
    rmSync(folder, { recursive: true })
  }
  // What a process passes only when another was killed before, or is quicker.
  for (const act of ['claim', 'resume', 'release', 'answer from outside', 'commit of suspended']) {
    for (const side of ['before', 'after']) counts.set(`${side} ${act}`, 1)
  }
  return new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Lets the first processes of a round end at a point, half of them when they first pass it. */
function doomAt(point: string, passes: number, crowd: Crowd): (started: number) => Doom {
  const doomed = Math.max(2, Math.ceil((crowd.processes + crowd.threads) / 2))
  return (started) => {
    const pass = random() < 0.5 ? 1 : 1 + Math.floor(random() * passes)
    return started < doomed ? { point, pass } : SPARED
  }
}

/** One line of the matrix: kills at one point, by how many processes worked on how many threads. */
async function row(kind: Kind, point: string, passes: number): Promise<string> {
  const cells: string[] = []
  for (const crowd of CROWDS) {
    const own = { kills: 0, bad: 0 }
    // Whoever of many passes a rare point is chance; a few rounds are enough.
    for (let tries = 0; tries < 2 && own.kills === 0; tries++) {
      const played = await playRound(playOf(kind, crowd), doomAt(point, passes, crowd))
      violations.push(...played.violations.map((text) => `${point}: ${text}`))
      own.kills += played.kills
      own.bad += played.violations.length
      total.rounds += 1
    }
    total.kills += own.kills
    cells.push(cellOf(own.kills, own.bad))
  }
  return `| ${point} | ${cells.join(' | ')} |`
}

const total = { kills: 0, rounds: 0 }

async function matrix(kind: Kind): Promise<string> {
  const only = (values.only ?? '').split(',')
  const points = [...(await pointsOf(kind))].filter(([point]) =>
    only.some((text) => point.includes(text)),
  )
  say(headOf(kind, 'killed'))
  Object.assign(total, { kills: 0, rounds: 0 })
  const before = violations.length
  for (const [point, passes] of points) say(await row(kind, point, passes))
  return `\nseed ${seed}, ${kind}: ${points.length} points, ${total.rounds} rounds, ${total.kills} kills, ${violations.length - before} violations`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

await bundle(resolve(import.meta.dirname, 'worker.ts'), worker)
for (const kind of kinds) say(values.matrix ? await matrix(kind) : await soak(kind))
for (const violation of violations) say(violation)
if (violations.length === 0) rmSync(work, { recursive: true })
process.exitCode = violations.length === 0 ? 0 : 1
