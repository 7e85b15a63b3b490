import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { StopSignal } from './asked.ts'
import { runOnTerminal } from './child.ts'
import type { Environment } from './environment.ts'

/** A text to be written or changed in an editor. */
export interface EditRequest {
  readonly text: string
  /** Shown below a line under which nothing counts; left out for JSON. */
  readonly help?: readonly string[]
  /** Tells the editor the language. */
  readonly extension?: 'md' | 'json' | 'txt'
}

/** What came of it. Only `saved` changes anything. */
export type Edited =
  | { readonly kind: 'saved'; readonly text: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'missing'; readonly command: string }
  | { readonly kind: 'not-utf8' }
  | { readonly kind: 'stopped'; readonly signal: StopSignal }

const SCISSORS = '# ------------------------ >8 ------------------------'

/** The command that opens an editor, as the person set it. */
export function editorCommand(env: Environment, configured?: string): string {
  const named = [env['HEXAGON_EDITOR'], configured, env['VISUAL'], env['EDITOR']]
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi'
  return named.find((command) => command !== undefined && command.trim() !== '') ?? fallback
}

/**
 * Opens `text` in an editor and gives back what was saved, byte for byte as UTF-8. An editor that
 * ends with an error (`:cq`) cancels. The file is readable by nobody else and removed afterwards.
 */
export async function edit(request: EditRequest, command: string): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'hexagon-'))
  try {
    await chmod(folder, 0o700)
    const file = join(folder, `answer.${request.extension ?? 'md'}`)
    await writeFile(file, withHelp(request), { mode: 0o600, flag: 'wx' })
    const ended = await runOnTerminal({ command, argument: file })
    if (ended.kind === 'missing') return { kind: 'missing', command }
    if (ended.kind === 'stopped') return ended
    return ended.code === 0 ? read(await readFile(file)) : { kind: 'cancelled' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function withHelp({ text, help }: EditRequest): string {
  if (help === undefined) return text
  const lines = help.map((line) => `# ${line}`)
  return [text, SCISSORS, ...lines, ''].join('\n')
}

function read(bytes: Buffer): Edited {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Guessing another encoding would change the person's words.
    return { kind: 'not-utf8' }
  }
  const [answer = ''] = text.split(SCISSORS)
  return { kind: 'saved', text: answer.replace(/\r?\n$/u, '') }
}
