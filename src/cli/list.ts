import type { Invocation } from './invocation.ts'

/** A list on stdout, through the pager where it is longer than the screen. */
export async function printList(
  lines: readonly string[],
  { terminal }: Pick<Invocation, 'terminal'>,
): Promise<void> {
  if (lines.length === 0) return
  const { isTTY, rows } = terminal.out
  if (isTTY && lines.length >= rows) await terminal.page(lines.join('\n'))
  else terminal.stdout(`${lines.join('\n')}\n`)
}
