// Text is measured in terminal cells, a grapheme at a time: wide characters and emoji take two.

// Made when the first wide text comes: both take longer than the rest of a start together.
let segmenter: Intl.Segmenter | undefined
let emoji: RegExp | undefined

const PIECE = 1000
/** Two code units that may belong together. */
const JOINED = /[\ud800-\udfff\u200d]|.[\p{Mark}\ufe0f]/su
const NOTHING = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+$/u
// ASCII, Latin, Greek, Cyrillic, dashes and quotes, lines, our own symbols: a cell each, joined to nothing.
const NARROW =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2500-\u257f\u2190-\u2193✔✖◆◇▶⏸❯◯◉●○]*$/u
// oxlint-disable-next-line no-control-regex -- colours begin with one
const COLOR = /\u001b\[[\d;]*m/gu

/** First and last code point of the blocks that Unicode calls wide or full width. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
]

/** How many cells a text takes on one line; colours take none. */
export function widthOf(text: string): number {
  const bare = text.includes('\u001b') ? text.replaceAll(COLOR, '') : text
  if (NARROW.test(bare)) return bare.length
  let width = 0
  for (const grapheme of graphemesOf(bare)) width += graphemeWidth(grapheme)
  return width
}

/** The graphemes of a text with the cells each takes. */
export function cellsOf(text: string): { readonly text: string; readonly width: number }[] {
  if (NARROW.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }))
  return Array.from(graphemesOf(text), (grapheme) => ({
    text: grapheme,
    width: graphemeWidth(grapheme),
  }))
}

/** The text filled with spaces on the right up to `width` cells. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** The text, or as much of it as fits into `width` cells with `mark` at the cut. */
export function truncate(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text
  const room = width - widthOf(mark)
  if (room < 0) return ''
  let kept = ''
  let used = 0
  for (const cell of cellsOf(text)) {
    if (used + cell.width > room) break
    kept += cell.text
    used += cell.width
  }
  return kept.trimEnd() + mark
}

function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0
  if (code >= 0x20 && code < 0x7f && grapheme.length === 1) return 1
  if (NOTHING.test(grapheme)) return 0
  return isWide(code) || isEmoji(grapheme) ? 2 : 1
}

// In pieces, because the segmenter slows down with the length of its text.
function* graphemesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let start = 0
  while (start < text.length) {
    const end = boundaryAfter(text, start + PIECE)
    for (const { segment } of segmenter.segment(text.slice(start, end))) yield segment
    start = end
  }
}

/** A place where no grapheme is cut, as far as the characters around it tell. */
function boundaryAfter(text: string, from: number): number {
  let end = Math.min(from, text.length)
  while (end < text.length && JOINED.test(text.slice(end - 1, end + 1))) end += 1
  return end
}

function isEmoji(grapheme: string): boolean {
  // By constructor, because the `v` flag is newer than the compiler's target.
  emoji ??= new RegExp('^\\p{RGI_Emoji}$', 'v')
  return emoji.test(grapheme)
}

function isWide(code: number): boolean {
  return code >= 0x1100 && WIDE.some(([first, last]) => code >= first && code <= last)
}
