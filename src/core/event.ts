import type { Address } from './address.ts'
import type { Interrupt } from './interrupt.ts'

/** What every event carries. */
export interface EventBase {
  readonly threadId: string
  readonly address: Address
  /** ISO time. */
  readonly time: string
  /** Dense within a run, from 1. */
  readonly seq: number
}

/** An error as events and records keep it. */
export interface ErrorRecord {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly hint?: string
  readonly stack?: string
}

/** What a run tells the outside while it goes; JSON-serialisable. */
export type RunEventBody =
  | { readonly type: 'run:start'; readonly flow: string; readonly resumed: boolean }
  | {
      readonly type: 'node:start'
      readonly node: string
      readonly step: number
      readonly attempt: number
    }
  | {
      readonly type: 'node:end'
      readonly node: string
      readonly step: number
      readonly ms: number
      readonly outcome: 'finished' | 'parked' | 'failed' | 'abandoned'
      readonly error?: ErrorRecord
    }
  | {
      readonly type: 'node:retry'
      readonly node: string
      readonly attempt: number
      readonly delayMs: number
      readonly error: ErrorRecord
    }
  | {
      readonly type: 'step:end'
      readonly name: string
      readonly replayed: boolean
      readonly ms: number
    }
  | { readonly type: 'message'; readonly delta: string; readonly messageId?: string }
  | {
      readonly type: 'tool:start'
      readonly tool: string
      readonly callId: string
      readonly args: unknown
    }
  | {
      readonly type: 'tool:end'
      readonly tool: string
      readonly callId: string
      readonly result?: unknown
      readonly error?: ErrorRecord
    }
  | { readonly type: 'custom'; readonly value: unknown }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  | { readonly type: 'interrupt:open'; readonly interrupt: Interrupt }
  | {
      readonly type: 'interrupt:answered'
      readonly id: string
      readonly by?: string
      readonly via?: string
      readonly unseen?: boolean
      readonly value?: unknown
    }
  | {
      readonly type: 'interrupt:closed'
      readonly id: string
      readonly reason: 'cancelled' | 'expired'
    }
  | { readonly type: 'checkpoint'; readonly version: number; readonly label: string }
  | { readonly type: 'run:end'; readonly status: RunStatus; readonly error?: ErrorRecord }

export type RunEvent = RunEventBody & EventBase

/** How a stretch of execution ended. */
export type RunStatus = 'completed' | 'suspended' | 'failed' | 'cancelled'
