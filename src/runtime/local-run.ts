import { systemServices } from '../system/services.ts'
import { ThreadRun, type ThreadRunOptions } from './thread-run.ts'

/** A run that nobody else sees: in memory, gone when it ends. */
export function localRun(
  options: Pick<ThreadRunOptions, 'maxSteps' | 'handler' | 'onEvent'>,
): ThreadRun {
  return new ThreadRun({
    ...options,
    threadId: 'local',
    services: systemServices(),
    closed: options.handler === undefined,
  })
}
