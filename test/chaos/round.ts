import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { violationsIn } from './checks.ts'
import type { Kind } from './store-at.ts'

/** What a round is played with. */
export interface Play {
  /** The bundled worker. */
  readonly worker: string
  /** Where a round makes its folder. */
  readonly work: string
  readonly kind: Kind
  readonly threads: number
  readonly processes: number
  readonly random: () => number
}

/** How one process of a round is to end. */
export interface Doom {
  /** A named point at which it ends itself, in its so many-th pass; `none` or `record` where it does not. */
  readonly point: string
  readonly pass: number
  /** How long after its start it is killed from outside. */
  readonly afterMs?: number
}

/** What came of a round. */
export interface Played {
  readonly kills: number
  readonly violations: readonly string[]
}

/** A process that lives until its thread has ended. */
export const SPARED: Doom = { point: 'none', pass: 1 }

/** One folder of threads, in processes that end as they are doomed to, until all threads have ended. */
export async function playRound(play: Play, doomOf: (started: number) => Doom): Promise<Played> {
  const folder = mkdtempSync(join(play.work, 'round-'))
  const threads = Array.from({ length: play.threads }, (_, index) => `t${index}`)
  const open = new Set(threads)
  const killed = new Map(threads.map((id) => [id, new Set<number>()]))
  let started = 0
  let kills = 0
  const lane = async (): Promise<void> => {
    while (open.size > 0) {
      const ids = [...open]
      const id = ids[Math.floor(play.random() * ids.length)] ?? ''
      const { pid, isKilled } = await live(play, { folder, id, doom: doomOf(started++) })
      if (!isKilled) open.delete(id)
      else {
        kills++
        killed.get(id)?.add(pid)
      }
    }
  }
  await Promise.all(Array.from({ length: play.processes }, lane))
  const violations = await violationsIn({ kind: play.kind, folder, threads, killed })
  if (violations.length === 0) rmSync(folder, { recursive: true })
  return { kills, violations }
}

/** Runs one process on a thread until it ends or is killed. */
export function live(
  { worker, kind }: Pick<Play, 'worker' | 'kind'>,
  { folder, id, doom }: { readonly folder: string; readonly id: string; readonly doom: Doom },
): Promise<{ readonly pid: number; readonly isKilled: boolean }> {
  const { point, pass, afterMs } = doom
  const child = spawn(process.execPath, [worker, kind, folder, id, point, String(pass)], {
    stdio: 'ignore',
  })
  const timer = afterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), afterMs)
  return new Promise((done) => {
    child.once('exit', (_code, signal) => {
      clearTimeout(timer)
      done({ pid: child.pid ?? 0, isKilled: signal === 'SIGKILL' })
    })
  })
}
