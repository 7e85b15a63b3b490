import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { fileStore } from '../../../src/stores/file.ts'
import { claimant, edit } from '../../contracts/store-data.ts'
import { CommandBench } from '../../support/command.ts'

const DAY = 86_400_000

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/ask.mjs': `
      import { interruptForApproval, step } from 'hexagon'
      export default async () => {
        for (const n of [1, 2, 3, 4, 5]) await step('n' + n, async () => n)
        return await interruptForApproval('Deploy?')
      }`,
  })
})
afterEach(() => bench.remove())

async function json(words: readonly string[], context = {}) {
  const { stdout, code, stderr } = await bench.run([...words, '--json'], context)
  return { code, stderr, document: JSON.parse(stdout) }
}

/** Lets a thread end, so many days ago. */
async function ended(id: string, days: number, status: 'completed' | 'failed'): Promise<void> {
  const clock = (): number => Date.now() - days * DAY
  const store = fileStore(join(bench.folder, '.hexagon'), { clock })
  const meta = JSON.stringify({ flow: { file: 'flows/ask.mjs' } })
  await store.create({ id, flow: 'ask', meta, status: 'suspended', records: [] })
  await store.commit(edit(id, 1, { status }))
  await store.close()
}

test('deletes what ended longer ago than asked, and nothing that waits, failed or ended later', async () => {
  await ended('old1', 40, 'completed')
  await ended('new1', 3, 'completed')
  await ended('failed1', 40, 'failed')
  await json(['run', 'ask', '--thread', 'wait1'])

  const look = await json(['prune', '--done', '30d', '--dry-run'])
  expect(look).toMatchObject({ code: 0, document: { dryRun: true, deleted: ['old1'], pruned: [] } })
  expect(existsSync(join(bench.folder, '.hexagon/done/old1.json'))).toBe(true)

  const { code, document } = await json(['prune', '--done', '30d'])

  expect({ code, deleted: document.deleted }).toEqual({ code: 0, deleted: ['old1'] })
  const left = await json(['threads'])
  expect(left.document.threads.map(({ id }: { id: string }) => id).toSorted()).toEqual([
    'failed1',
    'new1',
    'wait1',
  ])
  expect((await json(['prune', '--done', '30d'])).document.deleted).toEqual([])
})

test('keeps the newest checkpoints, says that the others are gone, and the thread goes on', async () => {
  const { document } = await json(['run', 'ask', '--thread', 'wait1'])
  const { version } = document.thread

  const pruned = await json(['prune', '--keep', '2'])

  expect(pruned.document.pruned).toEqual([{ id: 'wait1', removed: version - 2 }])
  const { checkpoints } = (await json(['history', 'wait1'])).document
  expect(checkpoints.map((one: { version: number }) => one.version)).toEqual([version, version - 1])
  const gone = await json(['show', 'wait1', '--at', '2'])
  expect(gone.document.error).toMatchObject({ code: 'E2122' })
  expect(gone.document.error.message).toContain(`was pruned: the oldest is ${version - 1}`)
  const resumed = await json(['resume', 'wait1', '--approve'])
  expect(resumed).toMatchObject({ code: 0, document: { result: true } })
})

test('the configuration says what is kept; without it or an option nothing goes', async () => {
  await ended('old1', 40, 'completed')
  const none = await json(['prune'])
  expect(none).toMatchObject({ code: 2, document: { error: { code: 'E1005' } } })

  bench.write('hexagon.config.json', '{"retention":{"done":"30d","keep":3}}')
  const { document } = await json(['run', 'ask', '--thread', 'wait1'])

  const { checkpoints } = (await json(['history', 'wait1'])).document
  expect(checkpoints[0].version).toBe(document.thread.version)
  expect(checkpoints).toHaveLength(3)
  expect((await json(['prune'])).document).toMatchObject({ deleted: ['old1'], pruned: [] })
})

test('run --keep and resume --keep prune the thread once it rests', async () => {
  await json(['run', 'ask', '--thread', 'wait1', '--keep', '1'])
  expect((await json(['history', 'wait1'])).document.checkpoints).toHaveLength(1)

  const { code } = await json(['resume', 'wait1', '--approve', '--keep', '2'])

  expect(code).toBe(0)
  expect((await json(['history', 'wait1'])).document.checkpoints).toHaveLength(2)
})

test('at a terminal nothing goes until somebody agrees', async () => {
  await ended('old1', 40, 'completed')
  const words = ['prune', '--done', '30d']

  const kept = await bench.run(words, { interactive: true, replies: ['enter'] })
  expect(kept.code).toBe(0)
  expect(kept.stderr).toContain('old1  ask  completed, to be deleted')
  expect(readdirSync(join(bench.folder, '.hexagon/done'))).toEqual(['old1.json'])

  const gone = await bench.run(words, { interactive: true, replies: [{ pick: 'remove' }] })
  expect(gone.code).toBe(0)
  expect(readdirSync(join(bench.folder, '.hexagon/done'))).toEqual([])
})

test('a thread that another process runs is left as it is and named', async () => {
  await json(['run', 'ask', '--thread', 'wait1'])
  const store = fileStore(join(bench.folder, '.hexagon'))
  const { fence } = await store.claim('wait1', claimant())

  const { code, document, stderr } = await json(['prune', '--keep', '1'])

  expect({ code, busy: document.busy }).toEqual({ code: 69, busy: ['wait1'] })
  expect(stderr).toContain('wait1 is being run')
  await store.release('wait1', fence)
  await store.close()
})
