import { describe, expect, test } from 'vitest'

import { END, graph, interruptForInput, Runner, START, step } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { Threads } from '../support/threads.ts'

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

describe('the refusal of an answer that a run is given while it asks ends no subgraph that waits', () => {
  const inner = graph('inner', { state: { name: '' } })
    .node('ask', async () => ({
      name: await interruptForInput('Who?', { validate: (name) => name !== 'nobody' }),
    }))
    .edge(START, 'ask')
    .edge('ask', END)
  const outer = graph('outer', { state: { name: '' } })
    .node('sub', inner)
    .edge(START, 'sub')
    .edge('sub', END)

  test('when the flow does not accept it', async () => {
    const threads = new Threads()
    const paused = await threads.start(outer)
    const answers = ['nobody', 'zoe']

    const result = await threads.resume(
      outer,
      paused,
      {},
      {
        onInterrupt: ([who], { outcome }) => {
          outcome?.(() => undefined)
          return who === undefined ? 'defer' : { [who.id]: answers.shift() }
        },
      },
    )

    expect(result).toMatchObject({ status: 'completed', output: { name: 'zoe' } })
  })

  test('when somebody else was quicker', async () => {
    const threads = new Threads()
    const paused = await threads.start(outer)

    const result = await threads.resume(
      outer,
      paused,
      {},
      {
        onInterrupt: async ([who]) => {
          if (who === undefined) return 'defer'
          await threads.runner().answer(paused.threadId, { answers: { [who.id]: 'from outside' } })
          return { [who.id]: 'too late' }
        },
      },
    )

    expect(result).toMatchObject({ status: 'completed', output: { name: 'from outside' } })
  })
})
