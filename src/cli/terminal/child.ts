import { closeSync, openSync } from 'node:fs'

import type { StopSignal } from './asked.ts'

/** How a program that had the terminal ended. */
export type Ended =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stopped'; readonly signal: StopSignal }

/** A program for the shell to find, with one argument or with a text to read. */
export interface ChildRequest {
  readonly command: string
  readonly argument?: string
  readonly text?: string
}

/** A first word that can only be a program's name. */
const PLAIN_NAME = /^[\w./+-]+$/u

const SHELL_NOT_FOUND = 127
const SHELL_NOT_EXECUTABLE = 126

/**
 * Runs a program on the person's terminal itself, so that it works while stdout goes to a file.
 * Ctrl+C is the program's; SIGTERM and SIGHUP end it and are told.
 */
export async function runOnTerminal(request: ChildRequest): Promise<Ended> {
  const terminal = openTerminal()
  try {
    return await run(request, terminal)
  } finally {
    if (terminal !== undefined) closeSync(terminal)
  }
}

async function run(
  { command, argument, text }: ChildRequest,
  fd: number | undefined,
): Promise<Ended> {
  // Few commands start a program, and loading what starts one takes as long as reading a hundred threads.
  const { spawn } = await import('node:child_process')
  const shown = fd ?? 2
  const [program, args] = shellCommand(command, argument)
  const child = spawn(program, args, {
    shell: process.platform === 'win32',
    stdio: [text === undefined ? (fd ?? 0) : 'pipe', shown, shown],
  })
  let stopped: StopSignal | undefined
  const stop = (signal: NodeJS.Signals): void => {
    stopped = signal === 'SIGHUP' ? 'SIGHUP' : 'SIGTERM'
    child.kill(signal)
  }
  process.on('SIGINT', ignore).on('SIGTERM', stop).on('SIGHUP', stop)
  child.stdin?.on('error', ignore).end(text)
  return new Promise<Ended>((resolve) => {
    child.once('error', () => resolve({ kind: 'missing' }))
    child.once('close', (code) => resolve(endOf(code, stopped)))
  }).finally(() => {
    process.off('SIGINT', ignore).off('SIGTERM', stop).off('SIGHUP', stop)
  })
}

/** Ctrl+C belongs to the program; a pager may be left before it has read everything. */
function ignore(): void {}

function endOf(code: number | null, stopped: StopSignal | undefined): Ended {
  if (stopped !== undefined) return { kind: 'stopped', signal: stopped }
  if (code === SHELL_NOT_FOUND || code === SHELL_NOT_EXECUTABLE) return { kind: 'missing' }
  return { kind: 'exited', code: code ?? 1 }
}

/** The command may hold options; the argument never meets the shell's grammar. */
function shellCommand(command: string, argument: string | undefined): [string, string[]] {
  if (process.platform === 'win32') {
    return [argument === undefined ? command : `${command} "${argument}"`, []]
  }
  if (argument === undefined) return ['/bin/sh', ['-c', existing(command) + command]]
  return ['/bin/sh', ['-c', `${existing(command)}${command} "$1"`, 'hexagon', argument]]
}

/** Looks for the program first, so that a missing one is told by us and not by the shell as well. */
function existing(command: string): string {
  const [name = ''] = command.trim().split(/\s/u)
  return PLAIN_NAME.test(name) ? `command -v ${name} >/dev/null 2>&1 || exit 127; ` : ''
}

function openTerminal(): number | undefined {
  try {
    return openSync('/dev/tty', 'r+')
  } catch {
    // No controlling terminal: the streams the process has are all there is.
    return undefined
  }
}
