// A run as lines for people, event by event.
//
// Invariants:
//   1. A node's line is written when it has ended, waits or failed; of many tasks of one node and
//      step only the first have lines, the rest are counted.
//   2. What the flow says (names, messages, errors) is made safe before it is a line.

import type { Address } from '../../core/address.ts'
import type { RunEvent } from '../../core/event.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { oneLine } from '../terminal/safe.ts'
import { renderErrorRecord } from './error.ts'
import { renderDetail } from './event-detail.ts'
import { NodeLines } from './node-line.ts'
import { verdictOf } from './record.ts'
import { formatDuration } from './time.ts'
import type { View } from './view.ts'

/** What the lines are made with besides the events. */
export interface ProgressOptions {
  readonly view: View
  readonly verbosity: 0 | 1 | 2
  /** The nodes of the flow, so that their lines are aligned from the first. */
  readonly nodes?: readonly string[] | undefined
  /** Questions that were open when the run began. */
  readonly open?: readonly Interrupt[] | undefined
  /** Where a resumed thread goes on: `node:review`. */
  readonly continuedAt?: string | undefined
  /** Why the answer that came with the command says no. */
  readonly reason?: string | undefined
}

/** Turns events into lines. */
export interface Progress {
  /** The lines an event adds. */
  lines(event: RunEvent): readonly string[]
  /** What runs at the moment, for the line that moves. */
  readonly status: string | undefined
}

/** Progress of one run. */
export function createProgress(options: ProgressOptions): Progress {
  return new RunProgress(options)
}

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

interface Said {
  readonly isNo: boolean
  readonly text: string
}

const STATUS_NAMES = 3

class RunProgress implements Progress {
  readonly #options: ProgressOptions
  readonly #nodes: NodeLines
  readonly #running = new Map<string, number>()
  /** Open questions by id, and how many each node has. */
  readonly #asked = new Map<string, Interrupt>()
  readonly #open = new Map<string, number>()
  readonly #said = new Map<string, Said>()
  /** Nodes that were said to wait. */
  readonly #waiting = new Set<string>()
  #started: string | undefined

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#nodes = new NodeLines(options.view, options.nodes ?? [])
    for (const interrupt of options.open ?? []) this.#waiting.add(this.#note(interrupt))
  }

  get status(): string | undefined {
    const names = [...this.#running.keys()].filter((name) => !this.#waiting.has(name))
    if (names.length === 0) return undefined
    const shown = names.slice(0, STATUS_NAMES).join(', ')
    return names.length > STATUS_NAMES ? `${shown} and ${names.length - STATUS_NAMES} more` : shown
  }

  lines(event: RunEvent): readonly string[] {
    if (isOf(event, 'run:')) return this.#runLines(event)
    if (isOf(event, 'node:')) return this.#nodeLines(event)
    if (isOf(event, 'interrupt:')) return this.#questionLines(event)
    if (event.type === 'checkpoint') return []
    if (event.type === 'warning') return [this.#warning(event)]
    return this.#options.verbosity > 0 ? renderDetail(event, this.#options.view) : []
  }

  #runLines(event: Event<'run:start' | 'run:end'>): string[] {
    if (event.type === 'run:start') return this.#start(event)
    return [...this.#nodes.flush(), ...this.#end(event)]
  }

  #nodeLines(event: Event<'node:start' | 'node:end' | 'node:retry'>): string[] {
    if (event.type === 'node:start') return this.#nodeStart(event)
    return event.type === 'node:end' ? this.#nodeEnd(event) : this.#retry(event)
  }

  #questionLines(
    event: Event<'interrupt:open' | 'interrupt:answered' | 'interrupt:closed'>,
  ): string[] {
    if (event.type === 'interrupt:open') return this.#opened(event)
    return event.type === 'interrupt:closed' ? this.#closed(event) : this.#answered(event)
  }

  #start({ flow, threadId, time, resumed }: Event<'run:start'>): string[] {
    const { view, continuedAt } = this.#options
    const { paint, symbols } = view
    this.#started = time
    const where = continuedAt === undefined ? '' : ` at ${oneLine(continuedAt)}`
    const continued = resumed ? paint.dim(` (continued${where})`) : ''
    const thread = `thread ${oneLine(threadId)}`
    return [
      `${paint.cyan(symbols.go)} ${paint.bold(oneLine(flow))}  ${paint.dim(thread)}${continued}`,
    ]
  }

  #end({ status, time }: Event<'run:end'>): string[] {
    const { paint, symbols } = this.#options.view
    const ms = this.#started === undefined ? 0 : Date.parse(time) - Date.parse(this.#started)
    if (status === 'completed')
      return [`${paint.green(symbols.ok)} Completed in ${formatDuration(ms)}`]
    if (status === 'failed')
      return [`${paint.red(symbols.fail)} Failed after ${formatDuration(ms)}`]
    return status === 'cancelled' ? [`${paint.red(symbols.fail)} Cancelled`] : []
  }

  #nodeStart({ address, node }: Event<'node:start'>): string[] {
    const name = nameOf(address, node)
    count(this.#running, name, 1)
    return []
  }

  #nodeEnd(event: Event<'node:end'>): string[] {
    const { address, node, step, ms, outcome, error } = event
    const name = nameOf(address, node)
    count(this.#running, name, -1)
    if (outcome === 'parked') return this.#waits(name, 'waiting for you')
    this.#waiting.delete(name)
    const task = { name: withSubId(name, address), group: `${step} ${name}` }
    if (outcome === 'abandoned') return this.#nodes.line({ ...task, sign: 'dot', text: 'stopped' })
    if (outcome === 'failed') {
      const text = error === undefined ? 'failed' : `failed: ${renderErrorRecord(error)}`
      return this.#nodes.line({ ...task, sign: 'fail', text, always: true })
    }
    const said = this.#said.get(task.name)
    this.#said.delete(task.name)
    if (said === undefined)
      return this.#nodes.line({ ...task, sign: 'ok', text: formatDuration(ms) })
    return this.#nodes.line({ ...task, sign: said.isNo ? 'fail' : 'ok', text: said.text })
  }

  #retry({ address, node, attempt, delayMs, error }: Event<'node:retry'>): string[] {
    const text = `${renderErrorRecord(error)}; again in ${formatDuration(delayMs)} (attempt ${attempt + 1})`
    const name = nameOf(address, node)
    return this.#nodes.line({ name, group: '', sign: 'retry', text, always: true })
  }

  #opened({ interrupt }: Event<'interrupt:open'>): string[] {
    const isStop = interrupt.kind === 'breakpoint'
    const name = this.#note(interrupt)
    return this.#waits(name, isStop ? 'stopped at a breakpoint' : 'waiting for you')
  }

  #answered({ id, value, by, via }: Event<'interrupt:answered'>): string[] {
    const interrupt = this.#asked.get(id)
    if (interrupt === undefined) return []
    const { isNo, word, detail } = verdictOf(interrupt, { value, reason: this.#options.reason })
    // A person at this terminal knows who it was.
    const who = by === undefined || via === 'prompt' ? '' : ` by ${oneLine(by)}`
    const more = detail === undefined ? '' : `: ${detail}`
    const name = nameOf(interrupt.address, interrupt.key)
    // By task: the tasks of a fan-out share the name of their node, not each other's answers.
    this.#said.set(withSubId(name, interrupt.address), { isNo, text: `${word}${who}${more}` })
    this.#forget(interrupt)
    return []
  }

  #closed({ id, reason }: Event<'interrupt:closed'>): string[] {
    const interrupt = this.#asked.get(id)
    if (interrupt === undefined) return []
    this.#forget(interrupt)
    const name = nameOf(interrupt.address, interrupt.key)
    const text = reason === 'expired' ? 'expired unanswered' : 'not asked any more'
    return this.#nodes.line({
      name,
      group: '',
      sign: reason === 'expired' ? 'clock' : 'dot',
      text,
      always: true,
    })
  }

  #warning({ message, code }: Event<'warning'>): string {
    const { paint, symbols } = this.#options.view
    return `${paint.yellow(symbols.warn)} ${oneLine(message)}  ${paint.dim(`[${oneLine(code)}]`)}`
  }

  #waits(name: string, text: string): string[] {
    if (this.#waiting.has(name)) return []
    this.#waiting.add(name)
    return this.#nodes.line({ name, group: '', sign: 'ask', text, always: true })
  }

  /** Notes that a question is open; gives the name of who asks it. */
  #note(interrupt: Interrupt): string {
    const name = nameOf(interrupt.address, interrupt.key)
    this.#asked.set(interrupt.id, interrupt)
    count(this.#open, name, 1)
    return name
  }

  /** A question is not open any more. Its node may still wait for another. */
  #forget({ id, address, key }: Interrupt): void {
    const name = nameOf(address, key)
    this.#asked.delete(id)
    if (count(this.#open, name, -1) === 0) this.#waiting.delete(name)
  }
}

/** Counts up or down; gives what is left, which is forgotten at 0. */
function count(counts: Map<string, number>, name: string, by: 1 | -1): number {
  const left = Math.max(0, (counts.get(name) ?? 0) + by)
  if (left === 0) counts.delete(name)
  else counts.set(name, left)
  return left
}

function isOf<Room extends string>(
  event: RunEvent,
  room: Room,
): event is Extract<RunEvent, { readonly type: `${Room}${string}` }> {
  return event.type.startsWith(room)
}

/** The nodes of an address, outermost first: `deploy/review`; the given name where there are none. */
function nameOf(address: Address, otherwise: string): string {
  const names = address
    .filter(({ type }) => type === 'node' || type === 'runnable')
    .map(({ id }) => id)
  return oneLine(names.length === 0 ? otherwise : names.join('/'))
}

/** Which of several tasks of one node it was. */
function withSubId(name: string, address: Address): string {
  const subId = address.findLast(({ type }) => type === 'node')?.subId
  return subId === undefined ? name : `${name}#${oneLine(subId)}`
}
