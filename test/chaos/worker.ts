// One process of the chaos run: takes a thread as far as it can and ends. It is meant to be killed.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

import {
  channel,
  END,
  graph,
  interruptForInput,
  isHexagonError,
  Runner,
  Send,
  START,
  step,
} from 'hexagon'
import { fileStore } from 'hexagon/stores'

const [folder = '', threadId = ''] = process.argv.slice(2)

/** Leaves a trace outside the store, as a real side effect does. */
function happen(name: string): string {
  appendFileSync(join(folder, `${threadId}.effects`), `${name}\n`)
  return name
}

const flow = graph('chaos', {
  state: {
    log: channel<string[]>({ initial: [], reduce: (all, added) => [...all, ...added] }),
    turn: 0,
  },
})
  .node('begin', async () => ({ log: [await step('begin', () => happen('begin'))] }))
  .node('work', async ({ name }: { readonly name: string }) => {
    const before = await step('before', () => happen(`${name}/before`))
    const answer = await interruptForInput(name)
    const after = await step('after', () => happen(`${name}/after`))
    return { log: [`${before}|${answer}|${after}`] }
  })
  .node('turn', async ({ turn }) => ({
    turn: turn + 1,
    log: [await step('turn', () => happen(`turn${turn}`))],
  }))
  .edge(START, 'begin')
  .branch('begin', () => ['a', 'b', 'c'].map((name) => new Send('work', { name }, { key: name })), [
    'work',
  ])
  .join('turn', ['work'])
  .branch('turn', ({ turn }) => (turn < 3 ? 'turn' : END), ['turn', END])

const store = fileStore(join(folder, '.hexagon'))
const runner = new Runner({ store, flows: [flow] })

async function advance(): Promise<void> {
  const stored = await store.load(threadId)
  if (stored === undefined) {
    await runner.invoke(flow, {}, { threadId })
    return
  }
  if (stored.head.status === 'completed') process.exit(0)
  const { interrupts } = await runner.get(threadId)
  const [question] = interrupts
  const answers =
    question === undefined ? {} : { answers: { [question.id]: `yes to ${question.message}` } }
  await runner.resume(threadId, answers).result
}

for (;;) {
  try {
    await advance()
  } catch (error) {
    // Another process holds the thread, or has answered: its turn. Anything else is a finding.
    if (!isHexagonError(error) || !['E1306', 'E1307', 'E1314', 'E1303'].includes(error.code)) {
      appendFileSync(join(folder, 'findings'), `${threadId}: ${String(error)}\n`)
      process.exit(1)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
