import type { RunEvent } from '../core/event.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { exitCode, type ExitCode } from './exit-code.ts'
import { JsonStream } from './json/json-stream.ts'
import type { OutputFormat, Settings } from './settings.ts'
import { safe, safeJson } from './terminal/safe.ts'
import { foundAt, valueAt } from './value-path.ts'
import { hexagonVersion } from './version.ts'
import type { World } from './world.ts'

/** Where machine output goes and what of it is wanted. */
export interface OutputOptions {
  readonly format: OutputFormat
  readonly get: readonly (string | number)[] | undefined
  /** Asked for by the format that says it. */
  readonly version: () => string
  /** True when a person reads it: two spaces, nothing a terminal would obey. */
  readonly isTTY: boolean
  write(text: string): void
}

/** The output of a command with these settings. */
export function createOutput(
  { output: format, get }: Pick<Settings, 'output' | 'get'>,
  stdout: World['stdout'],
): Output {
  return new Output({
    format,
    get,
    version: hexagonVersion,
    isTTY: stdout.isTTY,
    write: (text) => stdout.write(text),
  })
}

// Output writes what programs read: one document, or a stream that ends with it. For people it
// writes nothing; commands do that themselves.
//
// Invariants:
//   1. In json format exactly one document is written, also on failure. A command that tells items as they come
//      writes them instead, one a line; a document follows them only on failure.
//   2. In jsonl format the version comes first and the document last.

/** The machine's side of stdout. */
export class Output {
  readonly format: OutputFormat
  readonly #options: OutputOptions
  #stream: JsonStream | undefined
  #listing = false

  constructor(options: OutputOptions) {
    this.format = options.format
    this.#options = options
  }

  /** One event of the run. */
  event(event: RunEvent): void {
    if (this.format === 'jsonl') this.#open().event(event)
  }

  /** What the flow printed. */
  log(stream: 'stdout' | 'stderr', text: string): void {
    if (this.format === 'jsonl') this.#open().log(stream, text)
  }

  /** One of what a command tells as it comes. */
  item(type: string, fields: JsonObject): void {
    if (this.format === 'human') return
    if (this.format === 'jsonl') return this.#open().item(type, fields)
    this.#listing = true
    this.#options.write(`${JSON.stringify({ v: 1, type, ...fields })}\n`)
  }

  /**
   * The command's document; `code` is what the process will exit with. Of an error, nothing is said about what
   * it does not hold. @throws HexagonError E1019
   */
  document(command: string | undefined, code: ExitCode, fields: JsonObject): void {
    if (this.format === 'human') return
    const document = envelope(command, code, fields)
    if (this.format === 'jsonl') this.#open().result(document)
    else if (!this.#listing || 'error' in fields) this.#options.write(this.#render(document))
  }

  #render(document: JsonObject): string {
    const { get } = this.#options
    if (get === undefined) return `${this.#json(document)}\n`
    const found = 'error' in document ? valueAt(document, get) : foundAt(document, get)
    if (found === undefined) return ''
    return `${typeof found === 'string' ? this.#text(found) : this.#json(found)}\n`
  }

  #text(value: string): string {
    return this.#options.isTTY ? safe(value) : value
  }

  #json(value: unknown): string {
    return this.#options.isTTY ? safeJson(JSON.stringify(value, null, 2)) : JSON.stringify(value)
  }

  #open(): JsonStream {
    if (this.#stream === undefined) {
      this.#stream = new JsonStream(
        (text) => this.#options.write(text),
        () => new Date().toISOString(),
      )
      this.#stream.version(this.#options.version())
    }
    return this.#stream
  }
}

/** What every document begins with. Lists that went well carry no exit code. */
function envelope(command: string | undefined, code: ExitCode, fields: JsonObject): JsonObject {
  const { status, ...rest } = fields
  const head: Record<string, JsonValue> = {
    v: 1,
    ok: code === exitCode.ok || code === exitCode.suspended,
    command: command ?? null,
  }
  if (status !== undefined) head['status'] = status
  if (status !== undefined || code !== exitCode.ok) head['exitCode'] = code
  return { ...head, ...rest }
}
