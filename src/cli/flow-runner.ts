import type { Store } from '../core/store.ts'
import { asRunnable } from '../graph/flow.ts'
import { ThreadRunner } from '../runner/runner.ts'
import type { Settings } from './settings.ts'

/** A runner that enters tasks, in the way the settings say. */
export function openFlowRunner(store: Store, { replay }: Pick<Settings, 'replay'>): ThreadRunner {
  return new ThreadRunner({ store, replay }, asRunnable)
}
