import { describe, expect, test } from 'vitest'

import { END, graph, interruptForInput, Runner, START, step } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { Latch, messages, questionAsking, Threads } from '../support/threads.ts'

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

describe('an answer given in place to a question whose task is not entered any more', () => {
  test.each([
    ['because the run was stopped before', undefined],
    ['because the run was stopped while it waited for its turn', 1],
  ])('holds no stop up: %s', async (_why, maxConcurrency) => {
    const working = new Latch()
    const asked = new Latch()
    const flow = graph('stopped', {
      state: { work: '', other: '' },
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    })
      .node('work', async () => {
        const work = await interruptForInput('Go?')
        await working.wait()
        return { work }
      })
      .node('other', async () => ({ other: await interruptForInput('Other?') }))
      .edge(START, 'work')
      .edge(START, 'other')
      .edge('work', END)
      .edge('other', END)
    const threads = new Threads()
    const paused = await threads.start(flow)
    const go = questionAsking(paused, 'Go?')

    const run = threads.resumeRun(
      flow,
      paused,
      { answers: { [go.id]: 'yes' } },
      {
        onInterrupt: async ([other]) => {
          await asked.wait()
          return other === undefined ? 'defer' : { [other.id]: 'late' }
        },
      },
    )
    await Promise.all([working.reached, asked.reached])
    if (maxConcurrency === undefined) run.cancel()
    asked.open()
    await new Promise(setImmediate)
    run.cancel()
    working.open()
    const result = await run.result

    expect(result).toMatchObject({ status: 'suspended', state: { work: 'yes' } })
    expect(messages(result)).toEqual(['Other?'])
    const { id } = questionAsking(result, 'Other?')
    expect(await threads.resume(flow, paused, { answers: { [id]: 'then' } })).toMatchObject({
      status: 'completed',
      output: { work: 'yes', other: 'then' },
    })
  })
})
