import { widthOf } from '../terminal/width.ts'

/** A place in a source file; lines and columns start at 1, columns count UTF-16 units. */
export interface SourcePlace {
  readonly line: number
  readonly column: number
}

/** The line of `place` with its neighbours, line numbers, and a mark below the column. */
export function codeFrame(source: string, { line, column }: SourcePlace): string {
  const lines = source.split(/\r\n|[\n\r]/u)
  const last = Math.min(lines.length, line + 1)
  const gutter = String(last).length
  const numbered = (number: number): string =>
    `${String(number).padStart(gutter)} │ ${lines[number - 1] ?? ''}`.trimEnd()
  const before = (lines[line - 1] ?? '').slice(0, column - 1)
  return [
    ...(line > 1 ? [numbered(line - 1)] : []),
    numbered(line),
    `${' '.repeat(gutter)} │ ${blank(before)}^`,
    ...(last > line ? [numbered(last)] : []),
  ].join('\n')
}

/** As wide as the text on a terminal: tabs stay, wide characters take two spaces. */
function blank(text: string): string {
  return text
    .split('\t')
    .map((part) => ' '.repeat(widthOf(part)))
    .join('\t')
}
