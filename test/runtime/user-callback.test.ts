import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  channel,
  END,
  flow,
  graph,
  interrupt,
  Runner,
  START,
  step,
  tool,
  toolCall,
  toolsNode,
  type Flow,
  type Message,
  type RunOptions,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'

/** The place that the stack of every failure must name. */
function breakHere(): never {
  throw new Error('broken on purpose')
}

async function breakLater(): Promise<never> {
  await Promise.resolve()
  return breakHere()
}

const line = (name: string, node: (state: never) => unknown): Flow =>
  graph('line', { state: { value: 0 } })
    .node(name, node as () => undefined)
    .edge(START, name)
    .edge(name, END)

const callingTool = (definition: Partial<Parameters<typeof tool>[0]>): Flow =>
  graph('calls', {
    state: {
      messages: channel<Message[]>({
        initial: [{ role: 'assistant', content: [toolCall('1', 'broken')] }],
        reduce: (before, more) => [...before, ...more],
      }),
    },
  })
    .node(
      'tools',
      toolsNode([
        tool({ name: 'broken', description: 'breaks', execute: () => 'fine', ...definition }),
      ]),
    )
    .edge(START, 'tools')
    .edge('tools', END)

const asks = flow('asks', () => interrupt('?'))

const cases: [string, Flow, RunOptions?][] = [
  ['a node', line('node', breakHere)],
  ['a node, later', line('node', breakLater)],
  ['a flow', flow('flow', breakHere)],
  ['a step', flow('stepping', () => step('broken', breakLater))],
  ['a component', flow('component', () => appendAddressSegment('part', 'a', undefined, breakHere))],
  [
    'a component, later',
    flow('component', () => appendAddressSegment('part', 'a', undefined, breakLater)),
  ],
  [
    'a router',
    graph('routed', { state: {} })
      .node('node', () => undefined)
      .edge(START, 'node')
      .branch('node', breakHere as () => typeof END, [END]),
  ],
  [
    'a reducer',
    graph('reduced', { state: { value: channel({ initial: 0, reduce: breakHere }) } })
      .node('node', () => ({ value: 1 }))
      .edge(START, 'node')
      .edge('node', END),
  ],
  [
    'a start hook',
    graph('hooked', { state: {}, onStart: breakLater })
      .node('node', () => undefined)
      .edge(START, 'node')
      .edge('node', END),
  ],
  [
    'a preparation',
    graph('prepared', { state: { value: 0 } })
      .node('node', (_made: number) => undefined, { prepare: breakLater })
      .edge(START, 'node')
      .edge('node', END),
  ],
  [
    'a mapper of a subgraph',
    graph('mapped', { state: {} })
      .node(
        'sub',
        graph('sub')
          .node('node', () => undefined)
          .edge(START, 'node')
          .edge('node', END),
        {
          input: breakHere,
        },
      )
      .edge(START, 'sub')
      .edge('sub', END),
  ],
  [
    'an output function',
    graph('told', { state: {}, output: breakHere })
      .node('node', () => undefined)
      .edge(START, 'node')
      .edge('node', END),
  ],
  ['a tool', callingTool({ execute: breakLater })],
  ['an approval rule of a tool', callingTool({ needsApproval: breakHere })],
  [
    'a tool that streams',
    callingTool({
      async *execute() {
        yield 'one'
        await breakLater()
      },
    }),
  ],
  ['a handler of questions', asks, { onInterrupt: breakHere }],
  ['a handler of questions, later', asks, { onInterrupt: breakLater }],
]

const strays: unknown[] = []
const note = (reason: unknown): void => void strays.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

describe('a failure in', () => {
  test.each(cases)('%s is an error with its stack', async (_title, flowed, options = {}) => {
    const runner = new Runner({ store: memoryStore() })
    const { error } = await runner.invoke(flowed, undefined, options).catch((refusal: unknown) => ({
      error: refusal,
    }))
    const chain = [...causesOf(error)]

    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toContain('broken on purpose')
    expect(chain.some(({ stack = '' }) => stack.includes('breakHere'))).toBe(true)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    expect(strays).toEqual([])
  })

  test.each(['a text', 0, null, undefined])('a node that throws %j is one too', async (thrown) => {
    const runner = new Runner({ store: memoryStore() })
    const result = await runner.invoke(
      line('node', () => {
        // oxlint-disable-next-line only-throw-error -- what is thrown here is the point
        throw thrown
      }),
    )

    expect(result.status).toBe('failed')
    expect(result.error).toBeInstanceOf(Error)
    expect(result.error?.stack).toBeDefined()
    expect(result.error?.message).toContain(String(thrown))
  })

  test('a reader of events stops only the reader', async () => {
    const run = new Runner({ store: memoryStore() }).run(line('node', () => ({ value: 1 })))
    const reading = (async () => {
      for await (const _ of run) breakHere()
    })()
    await expect(reading).rejects.toThrow('broken on purpose')

    expect(await run.result).toMatchObject({ status: 'completed', state: { value: 1 } })
  })
})

function* causesOf(error: unknown): Generator<Error> {
  for (let at = error; at instanceof Error; at = at.cause) yield at
}
