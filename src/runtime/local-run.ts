import { systemServices } from '../system/services.ts'
import type { EngineOptions } from './engine.ts'
import { ThreadRun } from './thread-run.ts'

/** A run that nobody else sees: in memory, gone when it ends. */
export function localRun(
  options: Pick<EngineOptions, 'maxSteps' | 'handler' | 'onEvent'>,
): ThreadRun {
  return new ThreadRun({
    ...options,
    threadId: 'local',
    services: systemServices(),
    closed: options.handler === undefined,
  })
}
