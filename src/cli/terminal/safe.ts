// What a terminal would obey or what would show text in another order than it is written. Shown as
// a picture or a name instead of left out: an attack must be seen.

/** C0 except line feed, DEL, C1. */
// oxlint-disable-next-line no-control-regex -- these characters are what it is about
const CONTROLS = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g

/**
 * Marks and overrides of writing direction, separators that break lines, the byte order mark, and characters
 * that show nothing, by which two texts differ that look the same. Joiners are left: scripts and emoji need them.
 */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/g

/** A second alphabet that shows nothing: whole sentences can hide in it. After a black flag it names a region. */
const TAGS = /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,5})[\u{e0000}-\u{e007f}]/gu

const LONE_SURROGATE = /\p{Surrogate}/gu

/** Captures, so that a split keeps them at the odd places. */
// oxlint-disable-next-line no-control-regex -- colours begin with one
const COLOR = /(\u001b\[[\d;]*m)/u

/** Text that may be drawn: no control character but line feed, no bidirectional control, nothing hidden. */
export function safe(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replaceAll(CONTROLS, pictureOf)
    .replaceAll(INVISIBLE, nameOf)
    .replaceAll(TAGS, nameOf)
    .replaceAll(LONE_SURROGATE, '\ufffd')
}

/** {@link safe} on one line: white space runs become one space. */
export function oneLine(text: string): string {
  return safe(text).replaceAll(/\s+/gu, ' ').trim()
}

/** JSON text with everything escaped that {@link safe} would replace, so that it is still JSON. */
export function safeJson(json: string): string {
  return json
    .replaceAll(/[\x7f-\x9f]/g, escapeOf)
    .replaceAll(INVISIBLE, escapeOf)
    .replaceAll(TAGS, escapeOf)
    .replaceAll(LONE_SURROGATE, escapeOf)
}

/**
 * Text that GitHub's runner takes for text: it obeys `::command::` at the start of a line and
 * `##[command]` anywhere in one.
 */
export function neutralizeCommands(text: string): string {
  return text.replaceAll('##[', '## [').replaceAll(/^(\s*):(?=:)/gmu, '$1: ')
}

/**
 * A finished line once more: only colours survive, and those only where colours are drawn. Lines are
 * made of safe parts already; this holds even when one part was forgotten.
 */
export function guard(line: string, colored: boolean): string {
  if (!colored) return safe(line)
  return line
    .split(COLOR)
    .map((part, index) => (index % 2 === 0 ? safe(part) : part))
    .join('')
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}

function nameOf(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0').toUpperCase()}>`
}

/** One escape for each half of a pair: JSON knows no longer ones. */
function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
