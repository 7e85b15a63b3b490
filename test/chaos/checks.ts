// What must be true of a round when all its threads have ended, whoever was killed.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Runner, type ThreadView } from 'hexagon'
import type { Store } from 'hexagon/stores'

import { arrivalsOf, readAudit, type AuditTrail } from '../../src/stores/file/audit.ts'
import { Inspection } from '../../src/stores/file/inspection.ts'
import { readAudit as readAuditRows } from '../../src/stores/sqlite/audit.ts'
import { effectsOf, LOG, NAMES, ONCE, STEPS, type Effect } from './flow.ts'
import { placeOf, storeAt, type Kind } from './store-at.ts'

/** A round that is over. */
export interface Ended {
  readonly kind: Kind
  readonly folder: string
  readonly threads: readonly string[]
  /** The processes that were killed, by thread. */
  readonly killed: ReadonlyMap<string, ReadonlySet<number>>
}

/** Everything that is not as it must be. */
export async function violationsIn(ended: Ended): Promise<string[]> {
  const { kind, folder, threads } = ended
  const store = storeAt(kind, folder, () => undefined)
  const runner = new Runner({ store })
  const found = linesOf(join(folder, 'findings'))
  const { damaged } = await runner.threads()
  found.push(...damaged.map(({ file, problem }) => `${file}: ${problem}`))
  found.push(...(await damagesIn(ended)))
  const trail = await trailIn(ended)
  if (trail.broken !== undefined) found.push(`the audit log breaks at ${trail.broken.line}`)
  const arrived = await arrivedIn(store, trail)
  for (const threadId of threads) {
    const view = await runner.get(threadId).catch((error: unknown) => String(error))
    if (typeof view === 'string') found.push(`${threadId}: ${view}`)
    else {
      const problems = [
        ...stateProblems(view),
        ...answerProblems(view, { folder, arrived }),
        ...effectProblems(ended, threadId),
        ...(await pastProblems(store, threadId)),
      ]
      found.push(...problems.map((problem) => `${threadId}: ${problem}`))
    }
  }
  await store.close()
  return found.map((text) => `${folder}: ${text}`)
}

/** A file that a repair would have to restore; what killed processes leave lying about is none. */
async function damagesIn({ kind, folder }: Ended): Promise<string[]> {
  if (kind === 'sqlite') return []
  const inspection = new Inspection(placeOf(kind, folder))
  const { findings } = await inspection.inspect()
  inspection.close()
  const isDamage = ({ kind: what }: { readonly kind: string }): boolean =>
    ['damaged', 'orphan', 'foreign', 'newer'].includes(what)
  return findings.filter(isDamage).map(({ file, problem }) => `${file} ${problem}`)
}

async function trailIn({ kind, folder }: Ended): Promise<AuditTrail> {
  const path = placeOf(kind, folder)
  return kind === 'file' ? readAudit(path) : readAuditRows(path)
}

/** Which answers the audit log has: question and request. */
async function arrivedIn(store: Store, { lines }: AuditTrail): Promise<ReadonlySet<string>> {
  const arrivals = await arrivalsOf(store, lines)
  const arrived = lines.filter((_, index) => arrivals[index] === 'arrived')
  return new Set(arrived.map(({ interrupt, requestId }) => `${interrupt} ${requestId}`))
}

function stateProblems({ status, state }: ThreadView): string[] {
  const found = status === 'completed' ? [] : [`is ${status}`]
  const log = JSON.stringify(state['log'])
  return log === JSON.stringify(LOG) ? found : [...found, `ended with ${log}`]
}

/** No answer that was acknowledged is lost, none counts twice, each is in the audit log. */
function answerProblems(
  { threadId, answered }: ThreadView,
  { folder, arrived }: { readonly folder: string; readonly arrived: ReadonlySet<string> },
): string[] {
  const found: string[] = []
  // Questions about steps in doubt come and go with the kills; these are asked of every thread.
  const asked = answered.filter(
    ({ message, status }) => status === 'consumed' && NAMES.some((name) => name === message),
  )
  if (asked.length !== NAMES.length) found.push(`took ${asked.length} answers`)
  const known = new Set<string>()
  for (const line of linesOf(join(folder, `${threadId}.answers`))) {
    const [id = ''] = line.split(' ')
    if (known.has(id)) found.push(`${id} was answered twice`)
    known.add(id)
    if (!arrived.has(line)) found.push(`the answer ${line} is lost`)
  }
  for (const { id } of asked) {
    if (![...arrived].some((line) => line.startsWith(`${id} `))) {
      found.push(`the answer to ${id} is in no audit log`)
    }
  }
  return found
}

/** A step is executed once, and once more for each process that was killed before its result was stored. */
function effectProblems({ folder, killed }: Ended, threadId: string): string[] {
  const effects = effectsOf(folder, threadId)
  const dead = killed.get(threadId) ?? new Set()
  const found = STEPS.flatMap((name) => stepProblems(effects, name, dead))
  for (const name of ONCE) {
    const count = effects.filter((effect) => effect.name === name).length
    if (count !== 1) found.push(`${name} happened ${count} times`)
  }
  return found
}

function stepProblems(
  effects: readonly Effect[],
  name: string,
  dead: ReadonlySet<number>,
): string[] {
  const pids = effects.filter((effect) => effect.name === name).map(({ pid }) => pid)
  if (pids.length === 0) return [`${name} never happened`]
  if (new Set(pids).size < pids.length) return [`${name} happened twice in one process`]
  const survivors = pids.slice(0, -1).filter((pid) => !dead.has(pid))
  return survivors.length === 0 ? [] : [`${name} happened again although its result was stored`]
}

/** Versions and events have no gap, and every checkpoint can be looked at. */
async function pastProblems(store: Store, threadId: string): Promise<string[]> {
  const versions = (await store.history(threadId)).map(({ version }) => version)
  const found = versions.every((version, index) => version === versions.length - index)
    ? []
    : [`history is ${versions.join()}`]
  const events = await store.events(threadId)
  if (events.some(({ seq }, index) => seq !== index + 1)) found.push('events have a gap')
  for (const version of versions) {
    const past = await store.checkpointAt(threadId, version)
    if (past?.head.version !== version) found.push(`checkpoint ${version} is gone`)
  }
  return found
}

function linesOf(path: string): string[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8').trim().split('\n')
}
