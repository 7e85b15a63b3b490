import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { findModule } from '../../../../src/cli/load/compile/module-file.ts'
import { Witness } from '../../../../src/cli/load/evidence.ts'
import { scratch, writeFiles } from '../support/command.ts'

let root: string

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

test.each([
  ['x.js', 'f.ts', ['x.ts', 'x.tsx', 'x.js', 'x.jsx', 'x.js/index.ts']],
  ['x.js', 'f.mjs', ['x.js', 'x.ts', 'x.tsx', 'x.jsx']],
  ['x.mjs', 'f.ts', ['x.mts', 'x.mjs']],
  ['x.cjs', 'f.cts', ['x.cts', 'x.cjs']],
  ['x.jsx', 'f.ts', ['x.tsx', 'x.ts', 'x.jsx', 'x.js']],
  ['x', 'f.ts', ['x.ts', 'x.tsx', 'x.jsx', 'x.js', 'x.json', 'x', 'x/index.ts']],
  ['x', 'f.js', ['x', 'x.ts', 'x.tsx', 'x.jsx', 'x.js', 'x.json', 'x/index.ts']],
  ['x.data', 'f.ts', ['x.data.ts', 'x.data.js', 'x.data']],
  ['x.ts', 'f.ts', ['x.ts']],
  ['x.json', 'f.ts', ['x.json']],
  ['x/', 'f.ts', ['x/index.ts', 'x/index.tsx', 'x/index.js', 'x/index.json']],
])('%s from %s means the first of %j', async (specifier, importer, order) => {
  const found: (string | undefined)[] = []
  for (const name of order.toReversed()) {
    // A folder can't have the name of a file that is there.
    if (name.includes('/')) await rm(join(root, 'x'), { recursive: true, force: true })
    await writeFiles(root, { [name]: '' })
    found.unshift(
      findModule(
        join(root, specifier) + (specifier.endsWith('/') ? '/' : ''),
        join(root, importer),
        new Witness(),
      ),
    )
    if (name.includes('/')) await rm(join(root, name.split('/')[0] ?? ''), { recursive: true })
  }

  expect(found.map((file) => file?.slice(root.length + 1))).toEqual(order)
})

test('what was looked for in vain is remembered', async () => {
  await writeFiles(root, { 'x.js': '' })
  const witness = new Witness()
  findModule(join(root, 'x.js'), join(root, 'f.ts'), witness)

  expect(witness.evidence).toEqual([
    [join(root, 'x.ts'), '-'],
    [join(root, 'x.tsx'), '-'],
    [join(root, 'x.js'), '+'],
  ])
})
