import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const FRAME = /^\s+at (?:.*\()?(?<file>(?:file:\/\/)?\/.+?):(?<line>\d+):(?<column>\d+)\)?$/u

/** Where in the project an error was thrown: the first line of its stack, or its cause's, that lies there. */
export function sourcePlace(error: unknown, root: string): string | undefined {
  if (!(error instanceof Error)) return undefined
  // What was thrown first tells most.
  return sourcePlace(error.cause, root) ?? placeIn(error.stack ?? '', root)
}

function placeIn(stack: string, root: string): string | undefined {
  for (const text of stack.split('\n')) {
    const { file, line, column } = FRAME.exec(text)?.groups ?? {}
    if (file === undefined) continue
    const path = relative(root, file.startsWith('file:') ? fileURLToPath(file) : file)
    const isInside = !path.startsWith('..') && !path.split(sep).some((part) => HIDDEN.has(part))
    if (isInside) return `${path.split(sep).join('/')}:${line}:${column}`
  }
  return undefined
}

const HIDDEN = new Set(['node_modules', '.hexagon'])
