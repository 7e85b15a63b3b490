// What a whole command costs beside `node -e 0`. Run: npm run build, then npx tsx bench/start-up.ts
//   --rounds=15   how often each command runs
//   --only=a,b    commands whose name contains one of these
//
// Each run of a command follows one of `node -e 0`, so that a slow minute of the machine hits both alike. Figures are
// ratios of medians: of wall time, and of processor time (user and system), the steadier of the two on a busy machine.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

interface Cost {
  readonly wall: number
  readonly cpu: number
}

interface Case {
  readonly name: string
  readonly goal?: number
  /** Puts the project into the state that the command is measured in. */
  readonly prepare?: () => void
  readonly commands: readonly (readonly string[])[]
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    root: { type: 'string', default: resolve(import.meta.dirname, '..') },
  },
})
const root = resolve(values.root)
const hexagon = join(root, 'bin/hexagon.js')
const project = createProject()

const run = [hexagon, 'run', 'flows/hello.ts', '--json', '--thread', 't1']
const resume = [hexagon, 'resume', 't1', '--approve', '--json']
const list = [hexagon, 'pending']

const cases: readonly Case[] = [
  { name: 'hexagon --version', goal: 1.4, commands: [[hexagon, '--version']] },
  { name: 'hexagon --help', commands: [[hexagon, '--help']] },
  { name: 'hexagon pending', goal: 1.5, prepare: wait, commands: [list] },
  { name: 'hexagon pending --json', prepare: wait, commands: [[...list, '--json']] },
  {
    name: 'hexagon pending, 100 of 10,000',
    goal: 2,
    prepare: once(() => fill(100)),
    commands: [list],
  },
  { name: 'hexagon pending, 10,000', prepare: once(() => fill(10_000)), commands: [list] },
  { name: 'hexagon run, first load', goal: 4.5, prepare: forget, commands: [run] },
  { name: 'hexagon run, loaded before', prepare: forgetThreads, commands: [run] },
  { name: 'hexagon resume', prepare: wait, commands: [resume] },
  { name: 'M3: run and resume, first load', goal: 6, prepare: forget, commands: [run, resume] },
  {
    name: 'M3: run and resume, loaded before',
    goal: 6,
    prepare: forgetThreads,
    commands: [run, resume],
  },
]

try {
  const wanted = values.only.split(',')
  for (const one of cases) {
    if (wanted.some((part) => one.name.includes(part))) report(one)
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}

/** A project with the library as npm installs it, and the smallest flow that asks. */
function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hexagon-start-up-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/hexagon'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  mkdirSync(join(folder, 'flows'))
  cpSync(join(root, 'flows/hello.ts'), join(folder, 'flows/hello.ts'))
  return folder
}

function forget(): void {
  rmSync(join(project, '.hexagon'), { recursive: true, force: true })
}

/** The compiled flow stays. */
function forgetThreads(): void {
  if (!existsSync(join(project, '.hexagon/cache'))) cost(run)
  for (const part of ['threads', 'waiting', 'done', 'history']) {
    rmSync(join(project, '.hexagon', part), { recursive: true, force: true })
  }
}

function wait(): void {
  forgetThreads()
  cost(run)
}

/** Ten thousand threads, of which so many wait. */
function fill(waiting: number): void {
  forget()
  const script = join(project, 'fill.mjs')
  writeFileSync(
    script,
    `import { flow, interruptForApproval, Runner } from 'hexagon'
     import { fileStore } from 'hexagon/stores'
     const ask = flow('ask', (waits) => (waits ? interruptForApproval('Send it?') : undefined))
     const runner = new Runner({ store: fileStore('.hexagon'), flows: [ask] })
     for (let index = 0; index < 10_000; index++) await runner.run(ask, index < ${waiting})
    `,
  )
  const { status, stderr } = spawnSync(process.execPath, [script], {
    cwd: project,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`could not fill the store: ${stderr}`)
}

/** Prepares for the first round only. */
function once(prepare: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) prepare()
    isDone = true
  }
}

function report({ name, goal, prepare, commands }: Case): void {
  const base: Cost[] = []
  const taken: Cost[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    prepare?.()
    base.push(cost(['-e', '0']))
    taken.push(sum(commands.map((command) => cost(command))))
  }
  const ratio = (part: keyof Cost): string =>
    `${(median(taken, part) / median(base, part)).toFixed(2)} x`
  console.log(
    name.padEnd(36),
    `wall ${ratio('wall')}`.padEnd(14),
    `CPU ${ratio('cpu')}`.padEnd(13),
    `(${median(taken, 'cpu').toFixed(0)} of ${median(base, 'cpu').toFixed(0)} ms)`.padEnd(18),
    goal === undefined ? '' : `goal ${goal} x`,
  )
}

/** One whole process, as the shell counts it. Standard input is empty, standard output a pipe. */
function cost(args: readonly string[]): Cost {
  const script = `TIMEFORMAT='%R %U %S'; time "$@" </dev/null 2>/dev/null`
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    cwd: project,
    encoding: 'utf8',
  })
  // 75 says that the thread waits.
  if (status !== 0 && status !== 75) throw new Error(`exit code ${status} of ${args.join(' ')}`)
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = stderr
    .trim()
    .split(' ')
    .map(Number)
  return { wall: wall * 1000, cpu: (user + system) * 1000 }
}

function sum(costs: readonly Cost[]): Cost {
  return costs.reduce((a, b) => ({ wall: a.wall + b.wall, cpu: a.cpu + b.cpu }))
}

function median(costs: readonly Cost[], part: keyof Cost): number {
  const sorted = costs.map((one) => one[part]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
