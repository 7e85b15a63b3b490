const LONGEST = 60

/** A value as messages show it: JSON, cut to one readable length. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing')
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`
}
