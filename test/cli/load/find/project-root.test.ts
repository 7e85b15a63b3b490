import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { findRoot } from '../../../../src/cli/load/find/project-root.ts'
import { scratch, writeFiles } from '../support/command.ts'

let top: string

beforeEach(async () => {
  top = await scratch()
})

afterEach(() => rm(top, { recursive: true, force: true }))

async function rootOf(files: Record<string, string>, home = '/nowhere'): Promise<string> {
  const cwd = join(top, 'a/b')
  await mkdir(cwd, { recursive: true })
  await writeFiles(top, files)
  return findRoot({ cwd, home: join(top, home) }).slice(top.length + 1)
}

describe('the project root', () => {
  test.each([
    ['.hexagon/store.json', '{}'],
    ['hexagon.config.ts', ''],
    ['hexagon.config.mts', ''],
    ['hexagon.config.js', ''],
    ['hexagon.config.mjs', ''],
    ['hexagon.config.json', '{}'],
    ['package.json', '{"hexagon":{}}'],
    ['package.json', '{"dependencies":{"hexagon":"1"}}'],
    ['package.json', '{"devDependencies":{"hexagon":"1"}}'],
  ])('is where %s is (%s)', async (name, text) => {
    expect(await rootOf({ [`a/${name}`]: text })).toBe('a')
  })

  test.each([
    ['package.json', '{"name":"other"}'],
    ['package.json', '{ not json'],
    ['package.json', 'null'],
    ['hexagon.config.yaml', ''],
    ['hexagon.config', ''],
  ])('is not where %s is (%s)', async (name, text) => {
    expect(await rootOf({ [`a/${name}`]: text })).toBe('a/b')
  })

  test('is the nearest one', async () => {
    expect(
      await rootOf({
        'hexagon.config.ts': '',
        'a/.hexagon/x': '',
        'a/b/package.json': '{"hexagon":{}}',
      }),
    ).toBe('a/b')
  })

  test('is not looked for above a repository', async () => {
    expect(await rootOf({ '.hexagon/x': '', 'a/.git/HEAD': '' })).toBe('a/b')
  })

  test('may be the repository itself', async () => {
    expect(
      await rootOf({ '.hexagon/x': '', 'a/.git': 'gitdir: elsewhere', 'a/hexagon.config.ts': '' }),
    ).toBe('a')
  })

  test('is not the home folder, nor above it', async () => {
    expect(await rootOf({ '.hexagon/x': '', 'a/.hexagon/x': '' }, 'a')).toBe('a/b')
  })

  test('may be the home folder for who stands in it', async () => {
    expect(await rootOf({ '.hexagon/x': '', 'a/b/.hexagon/x': '' }, 'a/b')).toBe('a/b')
  })

  test('is what was chosen, without a search', async () => {
    await rootOf({ 'a/.hexagon/x': '' })

    expect(findRoot({ cwd: top, chosen: 'a/b' })).toBe(join(top, 'a/b'))
  })

  test('must exist when it was chosen', () => {
    expect(() => findRoot({ cwd: top, chosen: 'nope' })).toThrow(
      expect.objectContaining({
        code: 'E1105',
        message: `There is no directory ${join(top, 'nope')}`,
      }),
    )
  })
})
