// Runs threads in real processes and kills these with SIGKILL at seeded instants, until every thread has
// ended. Then it counts: no answer lost or taken twice, no effect lost, none repeated more often than its
// thread was killed, every file readable.
//
//   npm run chaos -- [--kills=200] [--seed=N] [--threads=6] [--processes=2]

import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { build } from 'esbuild'
import { Runner } from 'hexagon'
import { fileStore } from 'hexagon/stores'

const options = new Map(
  process.argv.slice(2).map((arg): [string, number] => {
    const [name = '', value = ''] = arg.replace(/^--/u, '').split('=')
    return [name, Number(value)]
  }),
)
const wanted = options.get('kills') ?? 200
const seed = options.get('seed') ?? Math.floor(Date.now() % 1_000_000)
const threadCount = options.get('threads') ?? 6
const processCount = options.get('processes') ?? 2
const work = mkdtempSync(join(tmpdir(), 'hexagon-chaos-'))
const worker = join(work, 'worker.mjs')

const EXPECTED_EFFECTS = [
  'begin',
  ...['a', 'b', 'c'].flatMap((name) => [`${name}/before`, `${name}/after`]),
  'turn0',
  'turn1',
  'turn2',
]
const EXPECTED_LOG = [
  'begin',
  ...['a', 'b', 'c'].map((name) => `${name}/before|yes to ${name}|${name}/after`),
  'turn0',
  'turn1',
  'turn2',
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

/** One file that starts fast: a process that takes a second to start is killed before it does anything. */
async function buildWorker(): Promise<void> {
  await build({
    entryPoints: [resolve(import.meta.dirname, 'worker.ts')],
    outfile: worker,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['hexagon:source'],
    external: ['libsql'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
}

/** How long a thread takes from start to end when nobody kills it, in milliseconds. */
async function measure(): Promise<number> {
  const folder = mkdtempSync(join(work, 'calm-'))
  const began = performance.now()
  await runAndKill(folder, 't0', 600_000)
  return performance.now() - began
}

/** Runs one process on a thread and kills it after `ms`; false when it had ended the thread before. */
function runAndKill(folder: string, threadId: string, ms: number): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [worker, folder, threadId], {
    stdio: 'ignore',
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  return new Promise((done) => {
    child.once('exit', (_code, signal) => {
      clearTimeout(timer)
      done(signal === 'SIGKILL')
    })
  })
}

interface Round {
  readonly kills: number
  readonly violations: readonly string[]
}

/** One folder of threads, killed until all of them have ended. */
async function round(calmMs: number): Promise<Round> {
  const folder = mkdtempSync(join(work, 'round-'))
  const open = new Set(Array.from({ length: threadCount }, (_, index) => `t${index}`))
  const kills = new Map<string, number>()
  const lane = async (): Promise<void> => {
    while (open.size > 0) {
      const ids = [...open]
      const id = ids[Math.floor(random() * ids.length)] ?? ''
      if (await runAndKill(folder, id, random() * 1.2 * calmMs))
        kills.set(id, (kills.get(id) ?? 0) + 1)
      else open.delete(id)
    }
  }
  await Promise.all(Array.from({ length: processCount }, lane))
  const violations = await violationsIn(folder, kills)
  if (violations.length === 0) rmSync(folder, { recursive: true })
  return { kills: [...kills.values()].reduce((sum, count) => sum + count, 0), violations }
}

async function violationsIn(folder: string, kills: ReadonlyMap<string, number>): Promise<string[]> {
  const store = fileStore(join(folder, '.hexagon'))
  const runner = new Runner({ store })
  const found = existsSync(join(folder, 'findings'))
    ? readFileSync(join(folder, 'findings'), 'utf8').trim().split('\n')
    : []
  const { damaged } = await runner.threads()
  found.push(...damaged.map(({ file, problem }) => `${file}: ${problem}`))
  for (let index = 0; index < threadCount; index++) {
    found.push(...(await violationsOf(runner, { folder, threadId: `t${index}`, kills })))
  }
  return found.map((text) => `${folder}: ${text}`)
}

async function violationsOf(
  runner: Runner,
  at: { folder: string; threadId: string; kills: ReadonlyMap<string, number> },
): Promise<string[]> {
  const { threadId } = at
  const view = await runner.get(threadId)
  const found: string[] = []
  if (view.status !== 'completed') found.push(`${threadId} is ${view.status}`)
  if (JSON.stringify(view.state['log']) !== JSON.stringify(EXPECTED_LOG)) {
    found.push(`${threadId} ended with ${JSON.stringify(view.state['log'])}`)
  }
  const answered = view.answered.filter(({ status }) => status === 'consumed')
  if (answered.length !== 3) found.push(`${threadId} took ${answered.length} answers`)
  const effects = readFileSync(join(at.folder, `${threadId}.effects`), 'utf8')
    .trim()
    .split('\n')
  const limit = 1 + (at.kills.get(threadId) ?? 0)
  for (const name of EXPECTED_EFFECTS) {
    const count = effects.filter((effect) => effect === name).length
    if (count < 1 || count > limit) found.push(`${threadId}: ${name} happened ${count} times`)
  }
  return found
}

await buildWorker()
const calmMs = await measure()
const violations: string[] = []
let kills = 0
let rounds = 0
while (kills < wanted) {
  const result = await round(calmMs)
  rounds += 1
  kills += result.kills
  violations.push(...result.violations)
}
const summary = `seed ${seed}: ${kills} kills, ${rounds * threadCount} threads, ${violations.length} violations`
process.stdout.write(`${[...violations, summary].join('\n')}\n`)
if (violations.length === 0) rmSync(work, { recursive: true })
process.exitCode = violations.length === 0 ? 0 : 1
