import type { RunEvent } from '../../core/event.ts'
import type { JsonObject } from '../../core/json.ts'
import { eventJson } from './event-json.ts'

// A JsonStream writes one JSON object a line.
//
// Invariants:
//   1. The first line is the version, the last one the result.
//   2. `seq` is dense from 0.

/** Writes the lines of `-o jsonl`. */
export class JsonStream {
  readonly #write: (text: string) => void
  readonly #now: () => string
  #seq = 0

  constructor(write: (text: string) => void, now: () => string) {
    this.#write = write
    this.#now = now
  }

  version(hexagon: string): void {
    this.#line({ v: 1, type: 'version', hexagon, ts: this.#now() })
  }

  event(event: RunEvent): void {
    this.#line(eventJson(event))
  }

  /** One of what a command tells as it comes. */
  item(type: string, fields: JsonObject): void {
    this.#line({ v: 1, type, ...fields })
  }

  /** What the flow itself printed. */
  log(stream: 'stdout' | 'stderr', text: string): void {
    this.#line({ v: 1, type: 'log', ts: this.#now(), stream, text })
  }

  /** The last line: the document of `-o json`. */
  result(document: JsonObject): void {
    this.#line({ ...document, type: 'result', ts: this.#now() })
  }

  #line(line: JsonObject): void {
    const { v = 1, type = null, ...rest } = line
    this.#write(`${JSON.stringify({ v, type, seq: this.#seq, ...rest })}\n`)
    this.#seq += 1
  }
}
