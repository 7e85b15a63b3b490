// A process of its own that runs or resumes a thread of a file store: `thread-process.ts <folder> <what> …`.

import {
  channel,
  END,
  flow,
  graph,
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

const runner = new Runner({ store: fileStore(folder), flows: [workers, chain] })

async function main(): Promise<unknown> {
  const [threadId = '', second = '{}'] = rest
  if (what === 'run' && second === 'chain') return runner.invoke(chain, undefined, { threadId })
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
