// A process of its own that runs or resumes a thread of a file store: `thread-process.ts <folder> <what> …`.

import {
  channel,
  compositeInterrupt,
  END,
  flow,
  getInterruptState,
  getResumeContext,
  graph,
  interruptSignal,
  interruptForInput,
  Runner,
  Send,
  START,
  step,
} from '../../src/index.ts'
import { fileStore } from '../../src/stores/index.ts'

const [, , folder = '', what = '', ...rest] = process.argv

const list = channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** Tells the parent what happens, one line each. */
function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

const workers = graph('workers', {
  state: { items: [] as string[], log: list, sum: '' },
})
  .node('plan', () => ({}))
  .node('work', async (item: string) => {
    await step('effect', () => tell(`effect ${item}`))
    return { log: [`${item}=${await interruptForInput(`${item}?`)}`] }
  })
  .node('sum', ({ log }) => ({ sum: log.join() }))
  .edge(START, 'plan')
  .branch('plan', ({ items }) => items.map((item) => new Send('work', item, { key: item })), [
    'work',
  ])
  .join('sum', ['work'])
  .edge('sum', END)

/** Stops for ever in its third step, until a process says not to. */
const chain = flow('chain', async () => {
  for (const name of ['one', 'two', 'three', 'four']) {
    await step(name, async () => {
      if (name === 'three' && what === 'run') {
        tell('hanging')
        await new Promise(() => setInterval(() => undefined, 1000))
      }
      tell(`effect ${name}`)
    })
  }
  return 'done'
})

const inner = graph('inner', { state: { said: '' } })
  .node('ask', () => {
    const { isResumeTarget, data } = getResumeContext<string>()
    if (!isResumeTarget) throw interruptSignal('inner?')
    return { said: data ?? '' }
  })
  .edge(START, 'ask')
  .edge('ask', END)

/** Keeps in its own state what it has done before a graph that it invokes asks. */
const gathering = flow('gathering', async () => {
  const { state } = getInterruptState<string>()
  if (state === undefined) tell('effect prepared')
  try {
    const { said } = (await inner.invoke()) as { said: string }
    return `${state ?? 'nothing'}, ${said}`
  } catch (error) {
    throw compositeInterrupt('gathering', 'prepared', [error])
  }
})

/** Runs it, and waits for an answer that never comes. */
async function wait(threadId: string): Promise<unknown> {
  const onInterrupt = (): Promise<never> => new Promise(() => setInterval(() => undefined, 1000))
  const run = runner.run(gathering, undefined, { threadId, onInterrupt })
  let rests = false
  for await (const event of run) {
    if (event.type === 'node:end' && event.node === 'gathering') rests = true
    else if (event.type === 'checkpoint' && rests) tell('saved')
  }
  return run.result
}

const runner = new Runner({ store: fileStore(folder), flows: [workers, chain, gathering] })

async function main(): Promise<unknown> {
  const [threadId = '', second = '{}'] = rest
  if (what === 'run' && second === 'chain') return runner.invoke(chain, undefined, { threadId })
  if (what === 'wait') return wait(threadId)
  if (what === 'run') return runner.invoke(workers, JSON.parse(second) as object, { threadId })
  if (what === 'get') return runner.get(threadId)
  return runner.resume(threadId, JSON.parse(second) as object).result
}

try {
  tell(`result ${JSON.stringify(await main())}`)
} catch (error) {
  const { name, message } = error as Error
  tell(`error ${JSON.stringify({ name, message })}`)
}
process.exit()
