import { interruptForApproval, Runner, type NodeContext } from 'hexagon'
import { memoryStore } from 'hexagon/stores'
import { expect, test } from 'vitest'

test('a resume without an answer asks what an earlier process left open', async () => {
  const flow = async (): Promise<boolean> => interruptForApproval('Go on?')
  const store = memoryStore()
  const { threadId, interrupts } = await new Runner({ store }).invoke(flow)
  const asked: string[] = []
  const onInterrupt = (open: readonly { readonly id: string }[]): Record<string, boolean> => {
    asked.push(...open.map(({ id }) => id))
    return Object.fromEntries(open.map(({ id }) => [id, true]))
  }

  const again = new Runner({ store }).resume(threadId, {}, { flow, onInterrupt })

  expect(await again.result).toMatchObject({ status: 'completed', output: true })
  expect(asked).toEqual(interrupts.map(({ id }) => id))
})

test('a node is told the id of its thread', async () => {
  const flow = (_input: unknown, ctx: NodeContext): string => ctx.threadId

  const { threadId, output } = await new Runner({ store: memoryStore() }).invoke(flow)

  expect(output).toBe(threadId)
})
