import { rm } from 'node:fs/promises'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { listFlows } from '../../../../src/cli/load/find/flow-list.ts'
import { scratch, writeFiles } from '../support/command.ts'

let root: string

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

describe('the list of flows', () => {
  test('names every file with a default export, by its path', async () => {
    await writeFiles(root, {
      'flows/zeta.ts': 'export default graph("other")',
      'flows/alpha.mjs': 'const a = 1\nexport { a as default }',
      'flows/ops/clean.cjs': 'module.exports = 1',
      'flows/ops/index.cts': 'export = 1',
      'flows/triage/index.ts': 'export default async () => 1',
    })

    expect(listFlows({ root }).map(({ name, path }) => [name, path])).toEqual([
      ['alpha', 'flows/alpha.mjs'],
      ['ops', 'flows/ops/index.cts'],
      ['ops/clean', 'flows/ops/clean.cjs'],
      ['triage', 'flows/triage/index.ts'],
      ['zeta', 'flows/zeta.ts'],
    ])
  })

  test('leaves out what only lies beside flows', async () => {
    await writeFiles(root, {
      'flows/step.ts': 'export const step = 1',
      'flows/f.test.ts': 'export default 1',
      'flows/f.d.ts': 'export default 1',
      'flows/data.json': '{}',
      'flows/node_modules/x/index.js': 'module.exports = 1',
      'flows/.cache/x.js': 'module.exports = 1',
    })

    expect(listFlows({ root })).toEqual([])
  })

  test('is empty without the folder', () => {
    expect(listFlows({ root })).toEqual([])
  })

  test('is of another folder by config', async () => {
    await writeFiles(root, { 'jobs/a.ts': 'export default 1' })

    expect(listFlows({ root, flowsDir: 'jobs' }).map(({ path }) => path)).toEqual(['jobs/a.ts'])
  })
})
