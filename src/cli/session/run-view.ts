import type { RunEvent } from '../../core/event.ts'
import type { FlowShape } from '../../core/flow.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import type { Redaction } from '../config/redaction.ts'
import type { Invocation } from '../invocation.ts'
import { createProgress, type Progress } from '../render/progress.ts'
import { viewOf } from '../render/view.ts'
import type { NodeTime } from './report.ts'

const MOST_NODES = 200

/** What is known of a run before it starts. */
export interface RunViewOptions {
  readonly shape: FlowShape
  readonly redaction: Redaction
  /** Questions that are open already. */
  readonly open: readonly Interrupt[]
  readonly continuedAt?: string | undefined
  readonly reason?: string | undefined
}

/** Shows a run while it goes: lines for people, events for programs. */
export class RunView {
  readonly #invocation: Invocation
  readonly #redaction: Redaction
  readonly #progress: Progress
  readonly #shows: boolean
  readonly #running = new Map<string, number>()

  constructor(invocation: Invocation, { shape, redaction, ...known }: RunViewOptions) {
    const { settings, terminal, output } = invocation
    this.#invocation = invocation
    this.#redaction = redaction
    this.#shows = !settings.quiet && output.format !== 'jsonl'
    this.#progress = createProgress({
      ...known,
      view: viewOf(terminal),
      verbosity: settings.verbosity,
      nodes: shape.nodes.map(({ name }) => name),
    })
  }

  /** The tasks that ended so far. */
  readonly nodes: NodeTime[] = []

  event(happened: RunEvent): void {
    const { output, terminal } = this.#invocation
    const event = this.#redaction.event(happened)
    this.#track(event)
    output.event(event)
    const lines = this.#progress.lines(event)
    if (!this.#shows) return
    for (const line of lines) terminal.stderr(line)
    terminal.status(this.#progress.status)
  }

  /** True while a node works, and does not just wait for a person. */
  readonly isWorking = (): boolean => this.#progress.status !== undefined

  /** What goes on, for a message: `node "ask" still waits for a promise`. */
  readonly doing = (): string => {
    const names = [...this.#running.keys()]
    if (names.length === 0) return 'the run still waits for a promise'
    const nodes = names.map((name) => `"${name}"`).join(', ')
    return names.length === 1
      ? `node ${nodes} still waits for a promise`
      : `nodes ${nodes} still wait for promises`
  }

  #track(event: RunEvent): void {
    if (event.type !== 'node:start' && event.type !== 'node:end') return
    const count = (this.#running.get(event.node) ?? 0) + (event.type === 'node:start' ? 1 : -1)
    if (event.type === 'node:end' && this.nodes.length < MOST_NODES) this.nodes.push(event)
    if (count > 0) this.#running.set(event.node, count)
    else this.#running.delete(event.node)
  }
}
