// The flow that is killed: steps before and after questions, a step that runs once, a fan-out of three, a join, a
// loop. Every step leaves a trace outside the store, as a real side effect does.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { channel, END, graph, interruptForInput, Send, START, step, type Flow } from 'hexagon'

/** The branches, each of which asks one question. */
export const NAMES = ['a', 'b', 'c'] as const

/** Steps of which each may be executed once more for a process that was killed before its result was stored. */
export const STEPS: readonly string[] = [
  'begin',
  ...NAMES.flatMap((name) => [`${name}/before`, `${name}/after`]),
  'turn0',
  'turn1',
  'turn2',
]

/** Steps that may never be executed twice. */
export const ONCE: readonly string[] = NAMES.map((name) => `${name}/once`)

/** What the state is at the end, whoever was killed. */
export const LOG: readonly string[] = [
  'begin',
  ...NAMES.map((name) => `${name}/before|yes to ${name}|${name}/once|${name}/after`),
  'turn0',
  'turn1',
  'turn2',
]

/** One execution of a step, and by which process. */
export interface Effect {
  readonly name: string
  readonly pid: number
}

/** What a thread's steps have left outside, in order. */
export function effectsOf(folder: string, threadId: string): Effect[] {
  const path = join(folder, `${threadId}.effects`)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [name = '', pid] = line.split(' ')
    return { name, pid: Number(pid) }
  })
}

/** The flow of one thread, which leaves its traces in a folder. */
export function chaosFlow(folder: string, threadId: string): Flow {
  const happen = (name: string): string => {
    appendFileSync(join(folder, `${threadId}.effects`), `${name} ${process.pid}\n`)
    return name
  }
  return graph('chaos', {
    state: {
      log: channel<string[]>({ initial: [], reduce: (all, added) => [...all, ...added] }),
      turn: 0,
    },
  })
    .node('begin', async () => ({ log: [await step('begin', () => happen('begin'))] }))
    .node('work', async ({ name }: { readonly name: string }) => {
      const before = await step('before', () => happen(`${name}/before`))
      const answer = await interruptForInput(name)
      const paid = await step('pay', () => happen(`${name}/once`), { args: name, once: true })
      const after = await step('after', () => happen(`${name}/after`))
      return { log: [`${before}|${answer}|${paid}|${after}`] }
    })
    .node('turn', async ({ turn }) => ({
      turn: turn + 1,
      log: [await step('turn', () => happen(`turn${turn}`))],
    }))
    .edge(START, 'begin')
    .branch('begin', () => NAMES.map((name) => new Send('work', { name }, { key: name })), ['work'])
    .join('turn', ['work'])
    .branch('turn', ({ turn }) => (turn < 3 ? 'turn' : END), ['turn', END])
}
