// The one place where the running scope is ambient. Two copies of the package in one process (a global
// command and a project's own library) meet here, so what is carried is recognised by brand.

import { AsyncLocalStorage } from 'node:async_hooks'

import type { TaskScope } from './engine.ts'

const KEY = Symbol.for('hexagon.runtime.v1')

interface Carrier {
  readonly version: 1
  readonly storage: AsyncLocalStorage<TaskScope | undefined>
}

const carrier = obtain()

function obtain(): Carrier {
  const found: unknown = Reflect.get(globalThis, KEY)
  if (isCarrier(found)) return found
  const made: Carrier = { version: 1, storage: new AsyncLocalStorage() }
  Reflect.set(globalThis, KEY, made)
  return made
}

function isCarrier(value: unknown): value is Carrier {
  return typeof value === 'object' && value !== null && 'storage' in value
}

/** The scope that runs now, if any. */
export function currentScope(): TaskScope | undefined {
  return carrier.storage.getStore()
}

/** Runs `body` with `scope` as the current one. */
export function runInScope<T>(scope: TaskScope | undefined, body: () => T): T {
  return carrier.storage.run(scope, body)
}

/** Makes `scope` the current one for the rest of this asynchronous context. */
export function enterScope(scope: TaskScope | undefined): void {
  carrier.storage.enterWith(scope)
}
