// Records are texts to the store, but a document is to be readable. So a text stands in it as the JSON
// it is, when writing it again gives the same text; else it stands as a quoted string under `$text`.

const MARK = '{"$text":'

/** How a text stands in a document. */
export function embedded(text: string): string {
  return isFaithful(text) ? text : `${MARK}${JSON.stringify(text)}}`
}

/** The text a value of a document stands for. */
export function extracted(value: unknown): string {
  if (typeof value === 'object' && value !== null && '$text' in value) {
    const { $text } = value
    if (typeof $text === 'string') return $text
  }
  return JSON.stringify(value)
}

function isFaithful(text: string): boolean {
  if (text.startsWith(MARK)) return false
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}
