// A process of its own that does the jobs it is sent, one after the other or side by side.

import type { Store } from '../../src/core/store.ts'
import * as stores from '../../src/stores/index.ts'
import type { JobReply, JobRequest } from './store-actor.ts'
import { jobs } from './store-jobs.ts'

type Job = (store: Store, input: unknown, report: (value: unknown) => void) => Promise<unknown>

const opened = new Map<string, Store>()

process.on('message', (request: JobRequest) => void work(request))
reply({ kind: 'ready' })

async function work({ location, name, input }: JobRequest): Promise<void> {
  try {
    const job = jobs[name] as unknown as Job
    const value = await job(storeAt(location), input, (progress) =>
      reply({ kind: 'progress', value: progress }),
    )
    reply({ kind: 'done', value })
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? (error.stack ?? '') : String(error) })
  }
}

function storeAt(location: JobRequest['location']): Store {
  const key = JSON.stringify(location)
  const store = opened.get(key) ?? open(location)
  opened.set(key, store)
  return store
}

function open(location: JobRequest['location']): Store {
  const functions: Readonly<Record<string, unknown>> = { ...stores }
  const make = functions[location.open] as (...args: readonly unknown[]) => Store
  return make(...location.args)
}

function reply(message: JobReply): void {
  process.send?.(message)
}
