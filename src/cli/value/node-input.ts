import { open, type FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'

import { HexagonError, messageOf } from '../../core/errors.ts'
import type { DataInput } from './given.ts'
import { tooLarge } from './limit.ts'

/** What the process gives: its standard input and the folder that relative paths start from. */
export interface InputSource {
  readonly directory: string
  readonly stdin: AsyncIterable<unknown> & { readonly isTTY?: boolean }
}

/** Reads files and standard input, never more than a limit of either. */
export function nodeInput(source: InputSource): DataInput {
  let isRead = false
  return {
    readFile: (path, limit) => readLimited(resolve(source.directory, path), path, limit),
    readStandardInput: async (limit) => {
      // Looked at only now: making a stream of standard input takes a moment.
      const { stdin } = source
      if (stdin.isTTY === true) throw isTerminal()
      if (isRead) throw readTwice()
      isRead = true
      return collect(stdin, limit)
    },
  }
}

async function readLimited(file: string, name: string, limit: number): Promise<Uint8Array> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file)
    return await collect(handle.createReadStream({ autoClose: false }), limit)
  } catch (cause) {
    if (cause instanceof HexagonError) throw cause
    throw unreadable(name, cause)
  } finally {
    await handle?.close()
  }
}

async function collect(chunks: AsyncIterable<unknown>, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    const part = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))
    bytes += part.length
    if (bytes > limit) throw tooLarge(bytes)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
}

function unreadable(name: string, cause: unknown): HexagonError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return new HexagonError('E1204', `Cannot read ${name}: ${REASONS[code] ?? messageOf(cause)}`, {
    hint: 'Check the path; for text that begins with @ write @@.',
    cause,
    details: { file: name },
  })
}

function isTerminal(): HexagonError {
  return new HexagonError('E1205', '"-" reads standard input, but that is a terminal', {
    hint: 'Pipe something in, or leave it out to be asked.',
  })
}

function readTwice(): HexagonError {
  return new HexagonError('E1006', 'Standard input can be read only once', {
    hint: 'Give one of the values as @file.',
  })
}
