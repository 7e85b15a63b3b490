import { cellsOf, widthOf } from './width.ts'

/** White space that a line may be broken at; a no-break space is none. */
const BREAKABLE = /^[^\S\u00a0]+$/u

/** Lines of at most `width` cells, broken between words; a longer word is broken where it must be. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(1, width)
  return text.split('\n').flatMap((line) => wrapLine(line, room))
}

/** At most `limit` lines and whether some were left out. */
export function cutLines(
  lines: readonly string[],
  limit: number,
): { readonly lines: readonly string[]; readonly more: number } {
  if (lines.length <= limit) return { lines, more: 0 }
  // The line that says how many are missing takes a row itself.
  const kept = Math.max(1, limit - 1)
  return { lines: lines.slice(0, kept), more: lines.length - kept }
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line.trimEnd()]
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const piece of pieces(line)) {
    const needed = widthOf(piece.trimEnd())
    if (used + needed <= width) {
      current += piece
      used += widthOf(piece)
      continue
    }
    if (current.trim() !== '') lines.push(current.trimEnd())
    const parts = broken(current.trim() === '' ? current + piece : piece.trimStart(), width)
    lines.push(...parts.slice(0, -1))
    current = parts.at(-1) ?? ''
    used = widthOf(current)
  }
  return current.trim() === '' ? lines : [...lines, current.trimEnd()]
}

/** Words with the space before them; between wide characters, which know no spaces, each on its own. */
function pieces(line: string): string[] {
  const found: string[] = []
  let current = ''
  let open = false
  for (const { text, width } of cellsOf(line)) {
    const isSpace = BREAKABLE.test(text)
    if (open && (isSpace || width > 1)) {
      found.push(current)
      current = ''
    }
    current += text
    open = !isSpace
    if (width > 1) {
      found.push(current)
      current = ''
      open = false
    }
  }
  return current === '' ? found : [...found, current]
}

function broken(word: string, width: number): string[] {
  const parts: string[] = []
  let current = ''
  let used = 0
  for (const cell of cellsOf(word)) {
    if (used + cell.width > width && current !== '') {
      parts.push(current)
      current = ''
      used = 0
    }
    current += cell.text
    used += cell.width
  }
  return [...parts, current]
}
