// Texts that a terminal or a CI log would obey, in every place of a thread a text can be in: people see them
// harmless, programs get them exactly.

import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { CommandBench, type CommandOutcome } from '../../support/command.ts'
import { HARMFUL, hostileRuns, hostileText } from '../../support/hostile.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/mean.mjs': `
      import { readFileSync } from 'node:fs'
      import { END, START, graph, interruptForApproval, interruptForChoice, interruptForInput } from 'hexagon'
      const given = () => JSON.parse(readFileSync('case.json', 'utf8'))
      export default graph('mean', { state: { note: '', answer: '' } })
        .node('say', async () => {
          const { text } = given()
          await interruptForApproval(text, { key: 'one', payload: { [text]: [text] } })
          return { note: text }
        })
        .node('pick', async () => {
          const { text } = given()
          await interruptForChoice(text + '?', [
            { value: 'a', name: text, description: text }, { value: 'b', name: 'b' },
          ])
          return {}
        })
        .node('fail', async () => {
          const { text } = given()
          const answer = await interruptForInput(text + '!', { default: text })
          throw new Error(text + answer)
        })
        .edge(START, 'say').edge('say', 'pick').edge('pick', 'fail').edge('fail', END)`,
  })
})
afterEach(() => bench.remove())

/** Nothing of what people see is obeyed. */
function expectHarmless(words: readonly string[], { stdout, stderr }: CommandOutcome): void {
  for (const [name, seen] of Object.entries({ stdout, stderr })) {
    const found = HARMFUL.exec(seen.replaceAll('\t', ' '))
    const around = JSON.stringify(seen.slice((found?.index ?? 0) - 30, (found?.index ?? 0) + 10))
    expect(found, `${words.join(' ')}: ${name}: ${around}`).toBeNull()
  }
}

/** Shows the thread by every command that shows something, to people and at a terminal. */
async function expectShownHarmless(id: string): Promise<void> {
  const commands = [
    ['pending'],
    ['pending', '--full'],
    ['pending', '--all'],
    ['show', id],
    ['show', id, '--state'],
    ['threads'],
    ['history'],
    ['history', id],
    ['audit'],
    ['resume', id, '--answers', '{"nobody":1}'],
  ]
  for (const words of commands) {
    expectHarmless(words, await bench.run(words))
    expectHarmless(words, await bench.run(words, { isTTY: true, columns: 60 }))
  }
}

interface Document {
  readonly thread: {
    readonly id: string
    readonly state: { readonly note: string }
    readonly interrupts: readonly { readonly message: string; readonly payload: unknown }[]
  }
}

async function json(...words: string[]): Promise<Document> {
  const { stdout } = await bench.run([...words, '--json'])
  return JSON.parse(stdout) as Document
}

test('O11 whatever a thread says, people see it harmless and programs get it exactly', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      bench.write('case.json', JSON.stringify({ text }))
      const started = await json('run', 'mean')
      const { id } = started.thread
      await expectShownHarmless(id)
      const [approval] = (await json('show', id)).thread.interrupts
      expect(approval?.message).toBe(text)
      expect(approval?.payload).toEqual({ [text]: [text] })

      expectHarmless(['approve'], await bench.run(['resume', id, '--approve', '--reason', text]))
      await expectShownHarmless(id)
      const words = ['resume', id]
      const prompted = {
        interactive: true,
        isTTY: true,
        replies: ['esc', 'esc', 'ctrl-c'],
      } as const
      expectHarmless(words, await bench.run(words, prompted))
      expectHarmless(words, await bench.run(['resume', id, '--data', 'a']))
      await expectShownHarmless(id)

      expectHarmless(words, await bench.run(['resume', id, '--text', text]))
      await expectShownHarmless(id)
      expect((await json('show', id, '--state')).thread.state.note).toBe(text)
      await bench.run(['delete', id, '--yes'])
    }),
    hostileRuns(6),
  )
}, 120_000)
