const PLAIN = /^[\w@%+=:,./-]+$/

/** A word as a POSIX shell takes it back: quoted only where it must be. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
