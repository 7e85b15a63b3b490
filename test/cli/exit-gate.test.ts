import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { installCommand, scratch, writeFiles, type Command } from './load/support/command.ts'

let command: Command
let root: string

beforeAll(async () => {
  command = await installCommand()
})

afterAll(() => command.remove())

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

describe('process.exit in a flow', () => {
  test.each([
    ['while it loads', `process.exit(0)\nexport default () => 1`, 'process.exit(0) at F:1:'],
    [
      'while it runs',
      `export default async () => {\n  await 0\n  process.exit(0)\n}`,
      'process.exit(0) at F:3:',
    ],
    [
      'with another code',
      `export default () => {\n  process.exit(7)\n}`,
      'process.exit(7) at F:2:',
    ],
  ])('%s ends with 70 and is named', async (_when, text, call) => {
    await writeFiles(root, { 'flows/f.ts': text })
    const { status, result } = await command.load(root, 'f', { input: 0 })

    expect(status).toBe(70)
    expect(result).toMatchObject({
      code: 'E1114',
      message: expect.stringContaining(call.replace('F', join(root, 'flows/f.ts'))),
    })
  })

  test('by process.exitCode alone is nothing to stop', async () => {
    await writeFiles(root, { 'flows/f.ts': `export default () => {\n  process.exitCode = 7\n}` })
    const { status, result } = await command.load(root, 'f', { input: 0 })

    expect({ status, name: result['name'] }).toEqual({ status: 7, name: 'f' })
  })
})

describe('a flow that never settles', () => {
  test.each([
    ['at its top', `await new Promise(() => {})\nexport default () => 1`],
    ['while it runs', `export default () => new Promise(() => {})`],
  ])('%s is told so, with time to say it', async (_when, text) => {
    await writeFiles(root, { 'flows/f.ts': text })
    const { stderr, result } = await command.load(root, 'f', { input: 0 })

    expect(stderr).toBe('')
    expect(result).toMatchObject({
      code: 'E1115',
      message: 'The flow never finished: nothing left to do while f was loading',
    })
  })

  test('is left alone while something may still come', async () => {
    await writeFiles(root, {
      'flows/f.ts': `export default () => new Promise((resolve) => setTimeout(() => resolve('late'), 50))`,
    })

    expect((await command.load(root, 'f', { input: 0 })).result).toMatchObject({ output: 'late' })
  })
})

test('an error of a flow keeps its own exit code', async () => {
  await writeFiles(root, { 'flows/f.ts': `export default () => { throw new Error('boom') }` })
  const { status, result } = await command.load(root, 'f', { input: 0 })

  expect(status).toBe(1)
  expect(result['crash']).toContain('boom')
})
