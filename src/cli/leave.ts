// Leaving the process: everything written is delivered first, and a flow that left a timer or a
// socket behind does not keep it alive.

/** How long a flow's leftovers may go on after the command is done. */
const LINGER_MS = 500

const GONE = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

/** A reader that went away ends the writing, not the process. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreGone)) continue
    stream.on('error', ignoreGone)
  }
}

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (!GONE.has(error.code ?? '')) throw error
}

/** Resolves when all that was written to stdout and stderr is delivered, or nobody reads it any more. */
export async function drained(): Promise<void> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    stream.write('', () => resolve())
    stream.once('close', () => resolve())
  })
}

/** Ends the process a moment later if something still keeps it alive. */
export function leaveSoon(code: number): void {
  // The one place that ends the process: a flow's own setInterval would keep it alive for ever, and
  // by now everything is saved and delivered.
  setTimeout(() => process.exit(code), LINGER_MS).unref()
}

/** Ends the process at once, after what was written is delivered: a run that does not stop. */
export async function leaveNow(code: number): Promise<never> {
  await drained()
  return process.exit(code)
}
