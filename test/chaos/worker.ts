// One process of the chaos run: takes a thread as far as it can and ends. It is meant to be killed, from outside or
// by itself at a named point.
//
//   node worker.mjs <file|sqlite> <folder> <thread> <point, `none` or `record`> <pass>

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { isHexagonError, Runner, type Interrupt } from 'hexagon'

import { chaosFlow, effectsOf } from './flow.ts'
import { Points, watchedStore } from './points.ts'
import { storeAt, type Kind } from './store-at.ts'

const [kind = 'file', folder = '', threadId = '', point = 'none', pass = '1'] =
  process.argv.slice(2)

/** Another process holds the thread, or has answered, or has made it: its turn. */
const EXPECTED: ReadonlySet<string> = new Set(['E1306', 'E1307', 'E1314', 'E1303', 'E1214'])

const points = new Points(folder, { point, pass: Number(pass) })
const bare = storeAt(kind as Kind, folder, points.at)
const store = watchedStore(bare, points, (id, requestId) => note('answers', `${id} ${requestId}`))
const runner = new Runner({ store, flows: [chaosFlow(folder, threadId)] })

process.stdout.write('.')

function note(file: string, line: string): void {
  appendFileSync(join(folder, `${threadId}.${file}`), `${line}\n`)
}

function find(problem: string): void {
  appendFileSync(join(folder, 'findings'), `${threadId}: ${problem}\n`)
}

/** What a person who looks says: of a step in doubt whether it has left its trace. */
function answerTo({ kind: asked, message, payload }: Interrupt): unknown {
  if (asked !== 'doubt') return `yes to ${message}`
  const { args } = payload as { readonly args: string }
  const effect = `${args}/once`
  const hasHappened = effectsOf(folder, threadId).some(({ name }) => name === effect)
  return hasHappened ? { happened: true, result: effect } : 'run'
}

/** Shows every question and answers the first; sometimes puts them off. */
async function prompt(open: readonly Interrupt[]): Promise<Record<string, unknown> | 'defer'> {
  points.at('before a prompt is drawn')
  const stored = await bare.load(threadId)
  for (const { id } of open) {
    const row = stored?.interrupts.find((one) => one.id === id)
    if (row === undefined) find(`${id} was asked before it was stored`)
  }
  points.at('after a prompt is drawn')
  const [first] = open
  if (first === undefined || process.pid % 3 === 0) return 'defer'
  return { [first.id]: answerTo(first) }
}

async function advance(): Promise<void> {
  const stored = await store.load(threadId)
  if (stored === undefined) {
    await runner.run(chaosFlow(folder, threadId), {}, { threadId, onInterrupt: prompt }).result
    return
  }
  if (stored.head.status === 'completed') process.exit(0)
  const { interrupts } = await runner.get(threadId)
  const [question] = interrupts
  const command = question === undefined ? {} : { answers: { [question.id]: answerTo(question) } }
  points.at('before resume')
  try {
    await runner.resume(threadId, command, { onInterrupt: prompt }).result
  } catch (error) {
    if (!isHexagonError(error) || error.code !== 'E1306' || question === undefined) throw error
    // Somebody else runs it: he is told the answer meanwhile.
    await runner.answer(threadId, command)
  }
  points.at('after resume')
}

for (;;) {
  try {
    await advance()
  } catch (error) {
    if (!isHexagonError(error) || !EXPECTED.has(error.code)) {
      find(String(error))
      process.exit(1)
    }
    await sleep(20)
  }
}
