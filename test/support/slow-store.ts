import type { Store } from '../../src/stores/index.ts'

/** A store whose commits arrive some turns of the event loop later, each by another number of them. */
export function slowStore(store: Store): Store {
  const commit = store.commit.bind(store)
  let turns = 0
  store.commit = async (batch) => {
    turns = (turns * 7 + 3) % 11
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
    return commit(batch)
  }
  return store
}
