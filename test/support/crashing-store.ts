import type { Store } from '../../src/stores/index.ts'

/** The process is gone, as far as the store can tell. */
export class Crash extends Error {}

/**
 * A store whose process dies after so many commits: every second time the last commit still arrived.
 * From then on nothing of that process reaches the store, so its lease stays.
 */
export function crashingStore(store: Store, commits: number): Store {
  let left = commits
  const dead = (): boolean => left <= 0
  const guard = async <T>(act: () => Promise<T>): Promise<T> => {
    if (dead()) throw new Crash('dead')
    return act()
  }
  return {
    ...bound(store),
    capabilities: store.capabilities,
    commit: async (batch) => {
      if (dead()) throw new Crash('dead')
      if (left > 1) {
        left -= 1
        return store.commit(batch)
      }
      if (commits % 2 === 0) await store.commit(batch)
      left = 0
      throw new Crash('killed in a commit')
    },
    release: (id, fence, options) => guard(() => store.release(id, fence, options)),
    takeAnswers: (id, fence) => guard(() => store.takeAnswers(id, fence)),
  }
}

/** A store that reaches nobody from the moment its process is killed. */
export interface MortalStore {
  readonly store: Store
  kill(): void
}

/** A store whose process dies when it is told to: what it was about to write is lost, its lease stays. */
export function mortalStore(store: Store): MortalStore {
  let dead = false
  const guard = async <T>(act: () => Promise<T>): Promise<T> => {
    if (dead) throw new Crash('dead')
    return act()
  }
  return {
    kill: () => {
      dead = true
    },
    store: {
      ...bound(store),
      capabilities: store.capabilities,
      commit: (batch) => guard(() => store.commit(batch)),
      release: (id, fence, options) => guard(() => store.release(id, fence, options)),
      takeAnswers: (id, fence) => guard(() => store.takeAnswers(id, fence)),
    },
  }
}

function bound(store: Store): Store {
  const names = [
    'init',
    'close',
    'create',
    'load',
    'commit',
    'answer',
    'takeAnswers',
    'claim',
    'claimReady',
    'heartbeat',
    'release',
    'pending',
    'threads',
    'events',
    'history',
    'checkpointAt',
    'delete',
    'putBlob',
    'getBlob',
    'wait',
  ] as const
  return Object.fromEntries(
    names.map((name) => [name, (...args: unknown[]) => Reflect.apply(store[name], store, args)]),
  ) as unknown as Store
}
