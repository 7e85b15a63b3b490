import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import type { Store } from '../../src/core/store.ts'
import { jobs, type JobName } from './store-jobs.ts'
import type { StoreLocation } from './store-subject.ts'

type Input<Name extends JobName> = Parameters<(typeof jobs)[Name]>[1]
type Output<Name extends JobName> = Awaited<ReturnType<(typeof jobs)[Name]>>

/** Somebody who uses the store beside others. */
export interface Actor {
  run<Name extends JobName>(name: Name, input: Input<Name>): Promise<Output<Name>>
}

/** What a child process is sent, and what it sends back. */
export interface JobRequest {
  readonly location: StoreLocation
  readonly name: JobName
  readonly input: unknown
}

export type JobReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly value: unknown }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string }

/** Uses the store in this process. */
export function localActor(store: Store): Actor {
  return {
    run: async (name, input) => {
      const job = jobs[name] as unknown as (
        store: Store,
        input: unknown,
        report: () => void,
      ) => Promise<never>
      return job(store, input, () => undefined)
    },
  }
}

/** Uses the store in a process of its own. */
export class ProcessActor implements Actor {
  readonly #child: ChildProcess
  readonly #location: StoreLocation

  constructor(location: StoreLocation) {
    this.#location = location
    this.#child = fork(join(import.meta.dirname, 'store-process.ts'), {
      execArgv: ['--import', 'tsx', '--conditions=hexagon:source'],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  /** The same process, at another store. */
  at(location: StoreLocation): Actor {
    return { run: (name, input) => this.#send({ location, name, input }, () => undefined) }
  }

  /** Resolves when the process takes jobs. */
  async started(): Promise<this> {
    await once(this.#child, 'message')
    return this
  }

  run<Name extends JobName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    return this.follow(name, input, () => undefined)
  }

  /** Like `run`, and passes on what the job reports. */
  follow<Name extends JobName>(
    name: Name,
    input: Input<Name>,
    onProgress: (value: unknown) => void,
  ): Promise<Output<Name>> {
    return this.#send({ location: this.#location, name, input }, onProgress)
  }

  /** Ends the process at once, as a crash does. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  #send<Result>(request: JobRequest, onProgress: (value: unknown) => void): Promise<Result> {
    this.#child.send(request)
    return new Promise((resolve, reject) => {
      const done = (act: () => void): void => {
        this.#child.off('message', onMessage)
        this.#child.off('exit', onExit)
        act()
      }
      const onMessage = (reply: JobReply): void => {
        if (reply.kind === 'progress') onProgress(reply.value)
        if (reply.kind === 'done') done(() => resolve(reply.value as Result))
        if (reply.kind === 'failed') done(() => reject(new Error(reply.message)))
      }
      const onExit = (): void => done(() => reject(new Error('the process ended')))
      this.#child.on('message', onMessage)
      this.#child.on('exit', onExit)
    })
  }
}
