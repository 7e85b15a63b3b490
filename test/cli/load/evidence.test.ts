import { mkdir, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { stillHolds, Witness, type Evidence } from '../../../src/cli/load/evidence.ts'
import { scratch, writeFiles } from './support/command.ts'

let root: string

beforeEach(async () => {
  root = await scratch()
  await writeFiles(root, { 'a.txt': 'a', 'b.txt': 'b' })
})

afterEach(() => rm(root, { recursive: true, force: true }))

/** The evidence of a look at these files. */
function look(body: (witness: Witness) => void): readonly Evidence[] {
  const witness = new Witness()
  body(witness)
  return witness.evidence
}

test('what was read must stay the same', async () => {
  const evidence = look((witness) => expect(witness.read(join(root, 'a.txt'))).toBe('a'))
  expect(stillHolds(evidence)).toBe(true)

  await writeFile(join(root, 'a.txt'), 'A')
  expect(stillHolds(evidence)).toBe(false)

  await writeFile(join(root, 'a.txt'), 'a')
  expect(stillHolds(evidence)).toBe(true)

  await unlink(join(root, 'a.txt'))
  expect(stillHolds(evidence)).toBe(false)
})

test('what was not there must not come', async () => {
  const evidence = look((witness) => expect(witness.read(join(root, 'c.txt'))).toBeUndefined())
  expect(stillHolds(evidence)).toBe(true)

  await mkdir(join(root, 'c.txt'))
  expect(stillHolds(evidence)).toBe(true)

  await rm(join(root, 'c.txt'), { recursive: true })
  await writeFile(join(root, 'c.txt'), '')
  expect(stillHolds(evidence)).toBe(false)
})

test('what was only found may change, not go', async () => {
  const evidence = look((witness) => expect(witness.finds(join(root, 'a.txt'))).toBe(true))
  await writeFile(join(root, 'a.txt'), 'A')
  expect(stillHolds(evidence)).toBe(true)

  await unlink(join(root, 'a.txt'))
  expect(stillHolds(evidence)).toBe(false)
})

test('what was read counts more than that it was found', async () => {
  const evidence = look((witness) => {
    witness.read(join(root, 'a.txt'))
    witness.finds(join(root, 'a.txt'))
  })
  await writeFile(join(root, 'a.txt'), 'A')

  expect(stillHolds(evidence)).toBe(false)
})

test('a link must lead to the same place', async () => {
  const link = join(root, 'link.txt')
  await symlink(join(root, 'a.txt'), link)
  const evidence = look((witness) => expect(witness.follow(link)).toBe(join(root, 'a.txt')))
  expect(stillHolds(evidence)).toBe(true)

  await unlink(link)
  await symlink(join(root, 'b.txt'), link)
  expect(stillHolds(evidence)).toBe(false)
})
