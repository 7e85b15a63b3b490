import type { Store } from '../core/store.ts'

/** The stores this process has opened; a command may open several. */
const opened = new Set<Store>()

/** Notes a store that the process is to close before it ends. */
export function toClose(store: Store): Store {
  opened.add(store)
  return store
}

/** Closes what was opened. What can't be closed is left to the end of the process. */
export async function closeStores(): Promise<void> {
  const stores = [...opened]
  opened.clear()
  await Promise.allSettled(stores.map((store) => store.close()))
}
