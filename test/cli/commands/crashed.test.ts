import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { ProcessActor } from '../../contracts/store-actor.ts'
import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/ask.mjs': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('ask', () => interruptForApproval('Deploy?'))`,
  })
})
afterEach(() => bench.remove())

async function json(...words: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout } = await bench.run([...words, '--json'])
  return { code, text: stdout }
}

test('B62 a thread whose process was killed is shown as crashed, one that is run as running, and goes on when it is taken', async () => {
  await bench.run(['run', 'ask', '--thread', 'cut'])
  const folder = join(bench.folder, '.hexagon')
  // The child finds its loader from where it is started.
  process.chdir(import.meta.dirname)
  const child = await new ProcessActor({ open: 'fileStore', args: [folder] }).started()
  process.chdir(bench.folder)
  await child.run('claim', { id: 'cut' })
  expect((await json('threads')).text).toContain('"status":"running"')
  const locked = await json('resume', 'cut', '--approve')
  expect(locked.code).toBe(69)
  expect(locked.text).toContain('E1306')

  await child.kill()

  expect((await json('threads')).text).toContain('"status":"crashed"')
  expect((await json('show', 'cut')).text).toContain('"status":"crashed"')
  const resumed = await json('resume', 'cut', '--approve')
  expect(resumed.code).toBe(0)
  expect(resumed.text).toContain('"result":true')
})
