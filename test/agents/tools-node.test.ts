import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  channel,
  CompositeError,
  END,
  errorToMessage,
  findSignal,
  flow,
  getResumeContext,
  graph,
  HexagonError,
  interrupt,
  interruptSignal,
  InvalidAnswerError,
  runToolCalls,
  segment,
  START,
  step,
  toInterruptContexts,
  tool,
  toolCall,
  toolCallsOf,
  toolsNode,
  UnknownNameError,
  type AssistantMessage,
  type Message,
  type RunResult,
  type Tool,
  type ToolCall,
  type ToolCallsInfo,
  type ToolsNodeOptions,
} from '../../src/index.ts'
import { eventsOf, Latch, messages, question, questionAsking, Threads } from '../support/threads.ts'

const conversation = (): ReturnType<typeof channel<Message[]>> =>
  channel<Message[]>({ initial: [], reduce: (before, more) => [...before, ...more] })

function assistant(...calls: ToolCall[]): AssistantMessage {
  return { role: 'assistant', content: calls }
}

function graphOf(tools: readonly Tool[], options: ToolsNodeOptions<'messages'> = {}) {
  return graph('tools', { state: { messages: conversation() } })
    .node('tools', toolsNode(tools, options))
    .edge(START, 'tools')
    .edge('tools', END)
}

/** Call id, tool and output of each tool message. */
function results(result: Pick<RunResult, 'state'>): [string, string, unknown][] {
  return (result.state['messages'] as Message[]).flatMap((message) =>
    message.role === 'tool'
      ? message.content.map(({ toolCallId, toolName, output }): [string, string, unknown] => [
          toolCallId,
          toolName,
          output.value,
        ])
      : [],
  )
}

/** Asks once by a signal, and gives what it was answered. */
function asking(name: string, runs: string[] = []): Tool {
  return tool({
    name,
    description: `asks for ${name}`,
    execute: (_input, { toolCallId }) => {
      runs.push(toolCallId)
      const { isResumeTarget, data } = getResumeContext<string>()
      if (!isResumeTarget) throw interruptSignal({ message: `${name}?`, extra: name })
      return `${name}: ${data ?? 'nothing'}`
    },
  })
}

function working(name: string, runs: string[] = []): Tool {
  return tool({
    name,
    description: `works as ${name}`,
    execute: (_input, { toolCallId }) => {
      runs.push(toolCallId)
      return `${name} worked`
    },
  })
}

describe('a tools node', () => {
  test('S78 gives results in call order and runs what is finished once', async () => {
    const threads = new Threads()
    const runs: string[] = []
    const tools = [
      asking('one', runs),
      asking('two', runs),
      working('three', runs),
      working('four', runs),
    ]
    const said = assistant(
      toolCall('3', 'three'),
      toolCall('4', 'four'),
      toolCall('1', 'one'),
      toolCall('2', 'two'),
    )
    const flowed = graphOf(tools)
    const paused = await threads.start(flowed, { messages: [said] })
    expect(messages(paused)).toEqual(['one?', 'two?'])
    expect(questionAsking(paused, 'one?').address).toEqual([
      segment('node', 'tools'),
      segment('tool', 'one', '1'),
    ])

    const half = await threads.resume(flowed, paused, {
      answers: { [questionAsking(paused, 'two?').id]: undefined },
    })
    expect(question(half)).toEqual(questionAsking(paused, 'one?'))
    const done = await threads.resume(flowed, half, { answer: 'yes' })

    expect(results(done)).toEqual([
      ['3', 'three', 'three worked'],
      ['4', 'four', 'four worked'],
      ['1', 'one', 'one: yes'],
      ['2', 'two', 'two: nothing'],
    ])
    expect(runs.filter((id) => id === '3' || id === '4')).toEqual(['3', '4'])
    expect(runs.filter((id) => id === '2')).toHaveLength(2)
  })

  test('S78 tells of all calls in the question that gathers them', async () => {
    const threads = new Threads()
    let told: unknown
    const spying = flow('spying', async () => {
      const calls = [toolCall('3', 'three'), toolCall('1', 'one'), toolCall('2', 'two')]
      try {
        return await runToolCalls([asking('one'), asking('two'), working('three')], calls)
      } catch (error) {
        told = findSignal(error)?.info
        throw error
      }
    })
    await threads.start(spying)

    expect(told).toMatchObject({
      calls: [{ toolCallId: '3' }, { toolCallId: '1' }, { toolCallId: '2' }],
      executed: { 3: { type: 'text', value: 'three worked' } },
      rerun: ['1', '2'],
      extras: { 1: { extra: 'one' }, 2: { extra: 'two' } },
    } satisfies Partial<Record<keyof ToolCallsInfo, unknown>>)
  })

  test('S79 names a tool that is not there before anything runs', async () => {
    const threads = new Threads()
    const runs: string[] = []
    const flowed = graphOf([working('search', runs)])
    const failed = await threads.start(flowed, {
      messages: [assistant(toolCall('1', 'search'), toolCall('2', 'serach'))],
    })

    expect(failed.status).toBe('failed')
    expect(failed.error).toBeInstanceOf(UnknownNameError)
    expect(failed.error?.message).toContain('"serach"')
    expect((failed.error as UnknownNameError).hint).toContain('"search"')
    expect(runs).toEqual([])
  })

  test('S79 gives what its handler says to each unknown call', async () => {
    const threads = new Threads()
    const flowed = graphOf([working('known')], {
      onUnknownTool: ({ toolName }) => `no ${toolName} here`,
    })
    const done = await threads.start(flowed, {
      messages: [assistant(toolCall('1', 'a'), toolCall('2', 'known'), toolCall('3', 'b'))],
    })

    expect(results(done)).toEqual([
      ['1', 'a', 'no a here'],
      ['2', 'known', 'known worked'],
      ['3', 'b', 'no b here'],
    ])
  })

  test.each<[string, Message[]]>([
    ['that is not there', []],
    ['of a user', [{ role: 'user', content: 'hello' }]],
    ['without tool calls', [assistant()]],
    ['of plain text', [{ role: 'assistant', content: 'hello' }]],
  ])('S80 refuses a message %s', async (_title, given) => {
    const failed = await new Threads().start(graphOf([working('a')]), { messages: given })

    expect(failed.status).toBe('failed')
    expect(failed.error).toBeInstanceOf(HexagonError)
    expect(failed.error).toMatchObject({ code: 'E2135' })
  })

  test('S81 fails with the error of one tool and keeps the question of another', async () => {
    const threads = new Threads()
    let broken = true
    const runs: string[] = []
    const fragile = tool({
      name: 'fragile',
      description: 'breaks',
      execute: () => {
        if (broken) throw new Error('disk full')
        return 'written'
      },
    })
    const flowed = graphOf([asking('one'), fragile, working('three', runs)])
    const failed = await threads.start(flowed, {
      messages: [assistant(toolCall('1', 'one'), toolCall('2', 'fragile'), toolCall('3', 'three'))],
    })
    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('disk full')
    expect(failed.error?.cause).toBeInstanceOf(CompositeError)
    expect(messages(failed)).toEqual(['one?'])

    broken = false
    const done = await threads.resume(flowed, failed, {
      answers: { [question(failed).id]: 'yes' },
    })
    expect(results(done).map(([, , value]) => value)).toEqual([
      'one: yes',
      'written',
      'three worked',
    ])
    expect(runs).toEqual(['3'])
  })

  test('S82 in turn stops at the first question', async () => {
    const threads = new Threads()
    const runs: string[] = []
    const flowed = graphOf([asking('one', runs), working('two', runs)], { order: 'in turn' })
    const said = assistant(toolCall('a', 'two'), toolCall('b', 'one'), toolCall('c', 'two'))
    const paused = await threads.start(flowed, { messages: [said] })
    expect(runs).toEqual(['a', 'b'])

    const done = await threads.resume(flowed, paused, { answer: 'yes' })
    expect(runs).toEqual(['a', 'b', 'b', 'c'])
    expect(results(done).map(([id]) => id)).toEqual(['a', 'b', 'c'])
  })

  test('S84 turns errors into text, but not questions', async () => {
    const threads = new Threads()
    const broken = tool({
      name: 'broken',
      description: 'breaks',
      execute: () => Promise.reject(new Error('disk full')),
    })
    const wrapped = graphOf([errorToMessage(asking('one')), errorToMessage(broken)])
    const said = assistant(toolCall('1', 'one'), toolCall('2', 'broken'))
    const paused = await threads.start(wrapped, { messages: [said] })
    expect(messages(paused)).toEqual(['one?'])
    const done = await threads.resume(wrapped, paused, { answer: 'yes' })
    expect(results(done).map(([, , value]) => value)).toEqual(['one: yes', 'Error: disk full'])

    const handled = graphOf([asking('one'), broken], {
      onError: (error, { toolCallId }) => `${toolCallId}: ${(error as Error).message}`,
    })
    const asked = await threads.start(handled, { messages: [said] })
    expect(messages(asked)).toEqual(['one?'])
    const told = await threads.resume(handled, asked, { answer: 'yes' })
    expect(results(told).map(([, , value]) => value)).toEqual(['one: yes', '2: disk full'])
  })

  test('S85 collects a stream and gives it again when another tool asked', async () => {
    const threads = new Threads()
    let streams = 0
    const streaming = tool({
      name: 'streaming',
      description: 'streams',
      async *execute() {
        streams += 1
        yield 'first '
        await Promise.resolve()
        yield 'second'
      },
    })
    const flowed = graphOf([streaming, asking('one')])
    const said = assistant(toolCall('s', 'streaming'), toolCall('1', 'one'))
    const paused = await threads.start(flowed, { messages: [said] })
    const done = await threads.resume(flowed, paused, { answer: 'yes' })

    expect(results(done)).toEqual([
      ['s', 'streaming', 'first second'],
      ['1', 'one', 'one: yes'],
    ])
    expect(streams).toBe(1)
  })

  test('S86 abandoned in the middle, runs again with its message', async () => {
    const threads = new Threads()
    const latch = new Latch()
    let slow = true
    const runs: string[] = []
    const dawdling = tool({
      name: 'dawdling',
      description: 'takes its time',
      parameters: z.object({ text: z.string() }),
      execute: async ({ text }) => {
        if (slow) await latch.wait()
        return `result_${text}`
      },
    })
    const flowed = graphOf([dawdling, working('quick', runs)])
    const said = assistant(
      toolCall('q', 'quick'),
      toolCall('1', 'dawdling', JSON.stringify({ text: 'test' })),
    )
    const run = threads.run(flowed, { messages: [said] })
    await latch.reached
    for await (const event of run)
      if (event.type === 'checkpoint' && event.label.includes('quick')) break
    run.cancel('immediate', 'enough')
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', interrupts: [] })

    slow = false
    latch.open()
    const done = await threads.resume(flowed, stopped)
    expect(results(done)).toEqual([
      ['q', 'quick', 'quick worked'],
      ['1', 'dawdling', 'result_test'],
    ])
    expect(runs).toEqual(['q'])
  })

  test('lets a tool ask by a call, and its steps run once', async () => {
    const threads = new Threads()
    const effects: string[] = []
    const careful = tool({
      name: 'careful',
      description: 'asks in the middle',
      execute: async () => {
        await step('prepare', () => void effects.push('prepare'))
        const said = await interrupt<string>('sure?')
        await step('act', () => void effects.push(said))
        return said
      },
    })
    const flowed = graphOf([careful, asking('one')])
    const said = assistant(toolCall('1', 'careful'), toolCall('2', 'one'))
    const paused = await threads.start(flowed, { messages: [said] })
    expect(messages(paused).toSorted()).toEqual(['one?', 'sure?'])
    expect(questionAsking(paused, 'sure?').address).toEqual([
      segment('node', 'tools'),
      segment('tool', 'careful', '1'),
    ])
    const half = await threads.resume(flowed, paused, {
      answers: { [questionAsking(paused, 'sure?').id]: 'yes' },
    })
    const done = await threads.resume(flowed, half, { answer: 'go' })

    expect(results(done).map(([, , value]) => value)).toEqual(['yes', 'one: go'])
    expect(effects).toEqual(['prepare', 'yes'])
  })

  test('S41 a call of a later turn starts clean', async () => {
    const threads = new Threads()
    const turns = [
      assistant(toolCall('call_1', 'ask'), toolCall('call_2', 'ask')),
      assistant(toolCall('call_3', 'ask')),
      { role: 'assistant', content: 'all done' } satisfies Message,
    ]
    let asked = 0
    const targets: boolean[] = []
    const react = graph('react', { state: { messages: conversation() } })
      .node('model', async (state) => {
        const turn = state.messages.filter(({ role }) => role === 'assistant').length
        const message = await step('model', () => {
          asked += 1
          return turns[turn]
        })
        return { messages: message === undefined ? [] : [message] }
      })
      .node('tools', (state) => {
        targets.push(getResumeContext().isResumeTarget)
        return toolsNode([asking('ask')])(state)
      })
      .edge(START, 'model')
      .branch(
        'model',
        (state) => (toolCallsOf(state.messages.at(-1) as Message).length > 0 ? 'tools' : END),
        ['tools', END],
      )
      .edge('tools', 'model')
    const first = await threads.start(react)
    expect(first.interrupts.map(({ address }) => address.at(-1)?.subId)).toEqual([
      'call_1',
      'call_2',
    ])
    const [one, two] = first.interrupts
    const second = await threads.resume(react, first, { answers: { [one?.id ?? '']: 1 } })
    expect(question(second).id).toBe(two?.id)
    const third = await threads.resume(react, second, { answer: 2 })
    expect(question(third).address.at(-1)?.subId).toBe('call_3')
    const done = await threads.resume(react, third, { answer: 3 })

    expect((done.state['messages'] as Message[]).at(-1)?.content).toBe('all done')
    expect(asked).toBe(3)
    expect(targets).toEqual([false, true, true, false, true])
  })

  test('S39 lies at its address inside nested graphs', async () => {
    const threads = new Threads()
    let asked = 0
    const inner = graph('b', { state: { messages: conversation() } })
      .node('model', async () => {
        asked += 1
        return { messages: [assistant(toolCall('tool_call_123', 'interrupt_tool'))] }
      })
      .node('tools', toolsNode([asking('interrupt_tool')]))
      .edge(START, 'model')
      .edge('model', 'tools')
      .edge('tools', END)
    const middle = graph('a', { state: { messages: conversation() } })
      .node('sub_graph_b', inner)
      .edge(START, 'sub_graph_b')
      .edge('sub_graph_b', END)
    const root = graph('root', { state: { messages: conversation() } })
      .node('sub_graph_a', middle)
      .edge(START, 'sub_graph_a')
      .edge('sub_graph_a', END)
    const paused = await threads.start(root)
    expect(question(paused).address).toEqual([
      segment('node', 'sub_graph_a'),
      segment('node', 'sub_graph_b'),
      segment('node', 'tools'),
      segment('tool', 'interrupt_tool', 'tool_call_123'),
    ])
    const tree = await threads.runner().interruptTree(paused.threadId)
    const [point] = tree === undefined ? [] : toInterruptContexts(tree)
    expect(point?.parent).toMatchObject({
      isRootCause: false,
      address: question(paused).address.slice(0, 3),
      info: { rerun: ['tool_call_123'] },
    })
    const done = await threads.resume(root, paused, {
      answers: { [question(paused).id]: 'yes' },
    })

    expect(results(done)).toEqual([['tool_call_123', 'interrupt_tool', 'interrupt_tool: yes']])
    expect(asked).toBe(1)
  })

  test('tells its calls as events', async () => {
    const run = new Threads().run(graphOf([working('one')]), {
      messages: [assistant(toolCall('1', 'one', { a: 1 }))],
    })
    const events = await eventsOf(run)

    expect(events.filter(({ type }) => type.startsWith('tool:'))).toMatchObject([
      { type: 'tool:start', tool: 'one', callId: '1', args: { a: 1 } },
      { type: 'tool:end', tool: 'one', callId: '1', result: 'one worked' },
    ])
  })
})

describe('a tool that needs approval', () => {
  const sent: unknown[] = []
  const transfer = tool({
    name: 'transfer',
    description: 'sends money',
    parameters: z.object({ to: z.string(), amount: z.number().max(100) }),
    needsApproval: ({ amount }) => amount > 10,
    execute: (input, { idempotencyKey }) => {
      sent.push({ ...input, key: idempotencyKey !== '' })
      return { sent: input.amount }
    },
  })
  const flowed = graphOf([transfer])
  const ask = async (amount: number): Promise<{ threads: Threads; paused: RunResult }> => {
    sent.length = 0
    const threads = new Threads()
    const said = assistant(toolCall('1', 'transfer', { to: 'Ada', amount }))
    return { threads, paused: await threads.start(flowed, { messages: [said] }) }
  }
  const output = (result: RunResult): unknown => results(result)[0]?.[2]

  test('shows its arguments and runs when it is approved', async () => {
    const { threads, paused } = await ask(50)
    expect(question(paused)).toMatchObject({
      kind: 'approval',
      message: 'Run transfer?',
      payload: { to: 'Ada', amount: 50 },
      detail: true,
      metadata: { tool: 'transfer', callId: '1' },
    })
    expect(sent).toEqual([])
    const done = await threads.resume(flowed, paused, { answer: true })

    expect(sent).toEqual([{ to: 'Ada', amount: 50, key: true }])
    expect(output(done)).toEqual({ sent: 50 })
  })

  test('asks only for the arguments that need it', async () => {
    const { paused } = await ask(5)

    expect(paused.status).toBe('completed')
    expect(sent).toHaveLength(1)
  })

  test('gives the reason of a rejection to the model', async () => {
    const { threads, paused } = await ask(50)
    const done = await threads.resume(flowed, paused, {
      answer: { approved: false, reason: 'too much' },
    })

    expect(sent).toEqual([])
    expect(output(done)).toBe('A person rejected this call: too much')
  })

  test('runs with the arguments a person changed', async () => {
    const { threads, paused } = await ask(50)
    await expect(
      threads.resume(flowed, paused, {
        answer: { approved: true, edited: { to: 'Ada', amount: 1000 } },
      }),
    ).rejects.toThrow(/amount/u)
    expect(sent).toEqual([])
    const done = await threads.resume(flowed, paused, {
      answer: { approved: true, edited: { to: 'Ada', amount: 20 } },
    })

    expect(sent).toMatchObject([{ to: 'Ada', amount: 20 }])
    expect(output(done)).toEqual({ sent: 20 })
  })

  test.each([{ approved: 'yes' }, null, 'yes', 1])('S117 takes no %j for a yes', async (answer) => {
    const { threads, paused } = await ask(50)
    await expect(threads.resume(flowed, paused, { answer })).rejects.toThrow(InvalidAnswerError)

    expect(sent).toEqual([])
    expect((await threads.runner().get(paused.threadId)).interrupts).toEqual(paused.interrupts)
  })

  test('refuses arguments of another shape before anybody is asked', async () => {
    const failed = await new Threads().start(flowed, {
      messages: [assistant(toolCall('1', 'transfer', '{"to":"Ada"}'))],
    })

    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toMatch(/"transfer".*amount/u)
  })
})

describe('a list of tools', () => {
  test('holds each name once', () => {
    expect(() => toolsNode([working('a'), working('a')])).toThrow(/"a"/u)
  })

  test('takes no tool without a name or a body', () => {
    expect(() => tool({ name: '', description: '', execute: () => 1 })).toThrow(HexagonError)
    expect(() => tool({ name: 'a', description: '' } as never)).toThrow(HexagonError)
  })
})
