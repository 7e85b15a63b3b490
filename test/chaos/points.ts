// The named points of a thread's life, as a process passes them: what the store does to the disk, what the engine
// stores (a step's intent, its receipt, a superstep, a question, an answer), when a prompt is drawn, and how a
// thread is taken up again.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Store } from 'hexagon/stores'

/** At which pass of which point a process ends itself; `record` notes all it passes instead. */
export interface Fate {
  readonly point: string
  readonly pass: number
}

/** Passes points, and ends the process at one of them. */
export class Points {
  readonly #folder: string
  readonly #fate: Fate
  readonly #passed = new Map<string, number>()

  constructor(folder: string, fate: Fate) {
    this.#folder = folder
    this.#fate = fate
  }

  /** Passes a point. */
  readonly at = (point: string): void => {
    const pass = (this.#passed.get(point) ?? 0) + 1
    this.#passed.set(point, pass)
    if (this.#fate.point === 'record') appendFileSync(join(this.#folder, 'points'), `${point}\n`)
    if (this.#fate.point === point && this.#fate.pass === pass) process.kill(process.pid, 'SIGKILL')
  }

  /** Runs an act between two points. */
  async around<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.at(`before ${name}`)
    const result = await act()
    this.at(`after ${name}`)
    return result
  }
}

/** What a commit's label says, without names and numbers. */
function nameOf(label: string): string {
  if (label.startsWith('intent of step')) return 'step intent'
  if (label.startsWith('step')) return 'step receipt'
  return label.replace(/\s*[\d"].*$/u, '') || 'other'
}

/** A store whose acts are points; what it was told is stored it notes. */
export function watchedStore(
  store: Store,
  points: Points,
  onAnswered: (id: string, requestId: string) => void,
): Store {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'commit') {
        const commit: Store['commit'] = async (batch) => {
          const name = `commit of ${nameOf(batch.label ?? '')}`
          const committed = await points.around(name, () => target.commit(batch))
          for (const { id, answer } of batch.answer ?? []) onAnswered(id, answer.requestId)
          return committed
        }
        return commit
      }
      if (key === 'answer') {
        const answer: Store['answer'] = async (request) => {
          const answered = await points.around('answer from outside', () => target.answer(request))
          for (const { id } of request.answers) onAnswered(id, request.requestId)
          return answered
        }
        return answer
      }
      if (key === 'claim') {
        const claim: Store['claim'] = (id, claimant) =>
          points.around('claim', () => target.claim(id, claimant))
        return claim
      }
      if (key === 'create') {
        const create: Store['create'] = (thread) =>
          points.around('create', () => target.create(thread))
        return create
      }
      if (key === 'release') {
        const release: Store['release'] = (id, fence, options) =>
          points.around('release', () => target.release(id, fence, options))
        return release
      }
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
