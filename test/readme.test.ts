import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { blocksOf } from './support/markdown.ts'
import { copyPackage, type PackageCopy } from './support/package-copy.ts'
import { keys, Pty } from './support/pty.ts'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Several whole processes, one after the other, however busy the machine is. */
const PATIENCE_MS = 120_000

let copy: PackageCopy
let project: string

beforeAll(() => {
  copy = copyPackage()
  project = join(copy.folder, 'project')
  cpSync(join(root, 'flows'), join(project, 'flows'), { recursive: true })
  const command = join(copy.folder, 'commands/hexagon')
  mkdirSync(join(copy.folder, 'commands'))
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${copy.bin}' "$@"\n`)
  chmodSync(command, 0o755)
})

afterAll(() => {
  copy.remove()
})

test.each([
  ['with a terminal', ''],
  ['without a terminal', ' </dev/null 2>messages.txt >result.txt'],
])(
  'the first command of the README decides the claims %s',
  async (_title, redirection) => {
    const [, words = ''] = /^npm ci && node bin\/hexagon\.js (.+)$/m.exec(readme) ?? []
    const shell = openShell()

    await shell.until(isAtPrompt)
    shell.send(`hexagon ${words}${redirection}; echo "code $?"\r`)
    await shell.until(/^code \d+$/m)

    expect(shell.lines()).toContain('code 0')
    const decided = readFileSync(join(project, 'flows/expenses.decided.csv'), 'utf8')
    expect(decided.match(/,approved,$/gm)).toHaveLength(3)
    expect(decided.match(/,rejected,.+$/gm)).toHaveLength(2)
    shell.close()
  },
  PATIENCE_MS,
)

test(
  'the session in the README is what the terminal shows',
  async () => {
    const session = blocksOf(readme).find(({ language }) => language === 'console')?.text ?? ''
    const [asked = '', rest = ''] = session.split(/(?<=esc later\n)\n/)
    const [run, pending] = session.split('\n').filter((line) => line.startsWith('$ '))
    const shell = openShell()

    await shell.until(isAtPrompt)
    shell.send(`${run?.slice(2)}\r`)
    await shell.until('esc later')
    const question = shell.text()
    shell.send(keys.escape)
    await shell.until(isAtPrompt)
    shell.send(`${pending?.slice(2)}\r`)
    await shell.until((pty) => pty.text().includes('1 thread waits') && isAtPrompt(pty))
    shell.send(`${/^ {2}Answer: {4}(.+)$/m.exec(shell.text())?.[1]}\r`)
    await shell.until(/^\}$/m)

    expect(masked(question)).toContain(masked(asked.trimEnd()))
    expect(masked(shell.text())).toContain(masked(rest.trimEnd()))
    expect(shell.lines().filter((line) => line === '  │ Hello, Ann!')).toHaveLength(1)
    shell.close()
  },
  PATIENCE_MS,
)

function openShell(): Pty {
  return new Pty({
    command: '/bin/bash',
    args: ['--norc', '--noprofile'],
    cwd: project,
    columns: 100,
    rows: 60,
    env: {
      PATH: `${join(copy.folder, 'commands')}:${process.env['PATH'] ?? ''}`,
      HEXAGON_USER: 'ann',
      NO_COLOR: '1',
      PS1: '$ ',
    },
  })
}

function isAtPrompt(shell: Pty): boolean {
  return shell.lines().at(-1) === '$'
}

/** The text with what differs from run to run made equal; what the flow prints has its moment, not its line. */
function masked(text: string): string {
  const [, thread = 'none'] = /(?:thread|resume) ([a-z0-9]{10})\b/.exec(text) ?? []
  return text
    .replaceAll(thread, '(thread)')
    .replace(/^ {2}│ .*\n/gm, '')
    .replace(/^\w{4} {2}hello/m, '(id)  hello')
    .replace(/hexagon resume \w{4}$/m, 'hexagon resume (id)')
    .replaceAll(/\bi_[a-z0-9]{10,}\b/g, '(interrupt)')
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min)\b(?!\.)/g, '(time)')
    .replaceAll(/\b\d+ (?:sec|min)\. ago|now\b/g, '(age)')
}
