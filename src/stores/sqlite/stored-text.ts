// SQLite ends a text at a NUL, and knows no half of a surrogate pair. The few texts that have one are kept
// as JSON behind a mark; all others as they are, so that the file can be read with any tool.

const MARK = '\u0001'
const LONE_SURROGATE = /[\ud800-\udfff]/u

/** A text in the form that survives the database. */
export function toStored(text: string): string {
  const isOdd = text.startsWith(MARK) || text.includes('\0') || LONE_SURROGATE.test(text)
  return isOdd ? MARK + JSON.stringify(text) : text
}

/** The text of which {@link toStored} made this. */
export function fromStored(stored: string): string {
  return stored.startsWith(MARK) ? oddIn(stored) : stored
}

/** What is no text behind the mark was written by somebody else, and stays as it is. */
function oddIn(stored: string): string {
  try {
    const text: unknown = JSON.parse(stored.slice(MARK.length))
    return typeof text === 'string' ? text : stored
  } catch {
    return stored
  }
}
