import { expect, test } from 'vitest'

import { END, graph, interruptForInput, Runner, START, step } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'

test('B53 an answer that comes a moment after one from outside ends nothing and repeats nothing', async () => {
  const store = memoryStore()
  const runs: string[] = []
  const flow = graph('two', { state: { asked: '', worked: '' } })
    .node('ask', async () => ({ asked: await interruptForInput('Which?') }))
    .node('work', async () => {
      const name = await interruptForInput('Who?')
      return {
        worked: await step('work', () => {
          runs.push(name)
          return name
        }),
      }
    })
    .edge(START, 'ask')
    .edge(START, 'work')
    .edge('ask', END)
    .edge('work', END)
  const runner = new Runner({ store, flows: [flow] })
  const warnings: string[] = []

  const run = runner.run(
    flow,
    {},
    {
      threadId: 't',
      onInterrupt: async (open) => {
        const [which, who] = open
        if (which?.message !== 'Which?' || who === undefined) return 'defer'
        // Somebody else is quicker, and this process has not heard of it when it answers both in turn.
        await runner.answer('t', { answers: { [which.id]: 'from outside' } })
        setImmediate(() => void runner.answer('t', { answers: { [who.id]: 'zoe' } }))
        return { [which.id]: 'too late' }
      },
    },
  )
  for await (const event of run) if (event.type === 'warning') warnings.push(event.code)
  const result = await run.result

  expect(result).toMatchObject({
    status: 'completed',
    output: { asked: 'from outside', worked: 'zoe' },
  })
  expect(runs).toEqual(['zoe'])
  expect(warnings).toEqual(['E1408'])
})
