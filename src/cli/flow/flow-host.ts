// The time in which flow code may run: what it prints is caught, and the process does not end behind
// the command's back.
//
// Invariants:
//   1. Nothing that a flow prints reaches standard output.
//   2. Closed, the process is as it was before.

import { writeSync } from 'node:fs'

import type { HexagonError } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import { openExitGate, type ExitGate } from '../exit-gate.ts'
import type { Invocation } from '../invocation.ts'
import { errorJson } from '../json/error-json.ts'
import { captureOutput, type Capture, type OutputStream } from '../load/capture-output.ts'
import { renderError } from '../render/error.ts'
import { boxed } from '../render/question.ts'
import { viewOf } from '../render/view.ts'

/** Catches prints and early ends while flow code may run. */
export class FlowHost {
  readonly #invocation: Invocation
  readonly #capture: Capture
  readonly #gate: ExitGate
  readonly #partial = new Map<OutputStream, string>()
  readonly #waiting: (() => void)[] = []

  constructor(invocation: Invocation) {
    this.#invocation = invocation
    this.#capture = captureOutput((stream, text) => this.#print(stream, text))
    this.#gate = openExitGate((error) => this.#exiting(error))
  }

  /** Settles as `work` does, or rejects when nothing is left that could settle it. */
  guard<T>(work: Promise<T>, doing: () => string): Promise<T> {
    return this.#gate.guard(work, doing)
  }

  close(): void {
    this.#gate.close()
    this.#capture.restore()
    for (const [stream, rest] of this.#partial) if (rest !== '') this.#print(stream, '\n')
    this.#flush()
  }

  /** Lines are shown whole; the stream for programs has the pieces as they come. */
  #print(stream: OutputStream, text: string): void {
    const { output, terminal } = this.#invocation
    if (output.format === 'jsonl') {
      this.#later(() => output.log(stream, text))
      return
    }
    const lines = ((this.#partial.get(stream) ?? '') + text).split('\n')
    this.#partial.set(stream, lines.pop() ?? '')
    for (const line of lines) this.#later(() => terminal.stderr(boxed(line, viewOf(terminal))))
  }

  /** After the events that came before: those reach their reader a moment later. */
  #later(write: () => void): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush())
    this.#waiting.push(write)
  }

  #flush(): void {
    for (const write of this.#waiting.splice(0)) write()
  }

  /** The process ends: what is written now must be written at once. */
  #exiting(error: HexagonError): void {
    const { terminal, settings, output, command } = this.#invocation
    this.#flush()
    if (output.format !== 'human') {
      const document = {
        v: 1,
        ok: false,
        command,
        exitCode: exitCode.internal,
        error: errorJson(error),
      }
      writeSync(1, `${JSON.stringify(document)}\n`)
    }
    writeSync(2, `${renderError(error, settings, terminal).join('\n')}\n`)
  }
}
