import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Which stream a flow meant to write to. */
export type OutputStream = 'stdout' | 'stderr'

/** Takes what flow code prints, in pieces as they were written. */
export type OutputSink = (stream: OutputStream, text: string) => void

/** Ends a capture. */
export interface Capture {
  /** Gives standard output and the console back. */
  restore(): void
  /** Writes to the real standard output meanwhile; false when it should be waited for. */
  write(text: string): boolean
}

type Done = (error?: Error | null) => void

/**
 * Sends what flow code prints, by the console or straight to standard output, to `sink`. Standard output
 * then carries only the result. A child process that inherits it still reaches it, as `fs.writeSync(1)` does.
 */
export function captureOutput(sink: OutputSink): Capture {
  const { stdout } = process
  const before = {
    console: globalThis.console,
    write: Object.getOwnPropertyDescriptor(stdout, 'write'),
  }
  const write = stdout.write.bind(stdout)
  const decoder = new StringDecoder('utf8')
  const take = (
    chunk: string | Uint8Array,
    ...rest: (BufferEncoding | Done | undefined)[]
  ): boolean => {
    const encoding = rest.find((item) => typeof item === 'string')
    sink('stdout', textOf(chunk, encoding, decoder))
    const done = rest.find((item) => typeof item === 'function')
    if (done !== undefined) process.nextTick(done)
    return true
  }
  stdout.write = take
  globalThis.console = new Console({
    stdout: sinkStream(sink, 'stdout'),
    stderr: sinkStream(sink, 'stderr'),
  })
  return {
    restore: () => {
      if (before.write === undefined) Reflect.deleteProperty(stdout, 'write')
      else Object.defineProperty(stdout, 'write', before.write)
      globalThis.console = before.console
    },
    write: (text) => write(text),
  }
}

function sinkStream(sink: OutputSink, stream: OutputStream): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      sink(stream, chunk.toString())
      done()
    },
  })
}

/** Bytes may end inside a character: the rest of it comes with the next piece. */
function textOf(
  chunk: string | Uint8Array,
  encoding: BufferEncoding | undefined,
  decoder: StringDecoder,
): string {
  if (typeof chunk !== 'string') return decoder.write(chunk)
  return encoding === undefined || /^utf-?8$/iu.test(encoding)
    ? chunk
    : decoder.write(Buffer.from(chunk, encoding))
}
