import { formatAddress, type Address } from '../core/address.ts'

const BRAND: unique symbol = Symbol.for('hexagon.signal')

/** The scope that made a signal: its task, and its place in there. */
export interface SignalOrigin {
  readonly task: string
  readonly place: string
}

/** What a signal is made of. */
export interface SignalParts {
  readonly id: string
  readonly address: Address
  readonly info: unknown
  /** Present only when the component saved state. */
  readonly state?: { readonly value: unknown }
  readonly subs?: readonly InterruptSignal[]
  readonly origin?: SignalOrigin
}

/**
 * Unwinds a component that waits. It is a tree: a leaf asks, a composite gathers what its children ask.
 * Not a failure: wrappers that retry, time out or turn errors into text must let it pass.
 */
export class InterruptSignal extends Error {
  readonly id: string
  readonly address: Address
  readonly info: unknown
  readonly state: { readonly value: unknown } | undefined
  readonly subs: readonly InterruptSignal[]
  /** Absent when the engine made it, or it was built from contexts. */
  readonly origin: SignalOrigin | undefined
  readonly [BRAND] = true

  constructor({ id, address, info, state, subs = [], origin }: SignalParts) {
    super(`interrupted at ${formatAddress(address) || 'the root'}`)
    this.name = 'InterruptSignal'
    this.id = id
    this.address = address
    this.info = info
    this.state = state
    this.subs = subs
    this.origin = origin
  }

  /** True for a leaf: the point that really asks. */
  get isRootCause(): boolean {
    return this.subs.length === 0
  }
}

/** Makes a signal without a stack: it is thrown once per waiting call, and a stack costs most of it. */
export function createSignal(parts: SignalParts): InterruptSignal {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return new InterruptSignal(parts)
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** The signal itself, or the first one an ordinary error wraps as its `cause` or among its `errors`. */
export function findSignal(error: unknown): InterruptSignal | undefined {
  return takeApart(error).signals[0]
}

/** True when `error` is an interrupt on its way up, however it was wrapped. */
export function isInterruptSignal(error: unknown): boolean {
  return findSignal(error) !== undefined
}

/** Every signal in what was thrown, and whether an ordinary error is in it too. */
export interface Thrown {
  readonly signals: readonly InterruptSignal[]
  readonly ordinary: boolean
}

/** Takes apart what was thrown: a signal, an error around one, or an error that gathers several. */
export function takeApart(error: unknown, depth = 0): Thrown {
  if (typeof error !== 'object' || error === null) return { signals: [], ordinary: true }
  if (BRAND in error) return { signals: [error as InterruptSignal], ordinary: false }
  const inner = error instanceof Error && depth < 16 ? wrappedIn(error) : []
  if (inner.length === 0) return { signals: [], ordinary: true }
  const parts = inner.map((part) => takeApart(part, depth + 1))
  const signals = [...new Set(parts.flatMap((part) => part.signals))]
  return { signals, ordinary: parts.some((part) => part.ordinary) }
}

function wrappedIn(error: Error): unknown[] {
  const gathered: unknown = 'errors' in error ? error.errors : undefined
  const inner: unknown[] = Array.isArray(gathered) ? [...gathered] : []
  if (error.cause !== undefined) inner.push(error.cause)
  return inner
}
