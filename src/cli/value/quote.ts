const LONGEST = 60

/** A value as messages show it: JSON, cut to one readable length. */
export function quote(value: unknown): string {
  const text = written(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing'
  } catch {
    // What came from a file of a person may be nested deeper than it can be written.
    return 'a value of too many levels'
  }
}
