// Runs the command from src in a process of its own, as a script would: without a terminal.

import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '../../..')

/** What runs node before the command's own arguments. */
export const commandLine = [
  '--conditions=hexagon:source',
  '--import',
  pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href,
  join(root, 'bin/hexagon.js'),
]

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export function hexagon(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...commandLine, ...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((settle, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => settle({ code, signal, stdout, stderr }))
  })
}
