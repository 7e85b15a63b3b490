import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { aliasTargets, findTsconfig } from '../../../../src/cli/load/compile/tsconfig.ts'
import { Witness } from '../../../../src/cli/load/evidence.ts'
import { scratch, writeFiles } from '../support/command.ts'

let root: string

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

/** Where a specifier may lead from `flows/f.ts`, relative to the root. */
async function targets(specifier: string, files: Record<string, string>): Promise<string[]> {
  await writeFiles(root, files)
  const tsconfig = findTsconfig(join(root, 'flows/f.ts'), undefined, new Witness())
  if (tsconfig === undefined) return []
  return aliasTargets(tsconfig, specifier).map((path) => path.slice(root.length + 1))
}

const config = (compilerOptions: object, more: object = {}): string =>
  JSON.stringify({ ...more, compilerOptions })

describe('a tsconfig', () => {
  test('is the nearest one above the flow', async () => {
    await writeFiles(root, { 'tsconfig.json': '{}', 'flows/tsconfig.json': '{}' })
    const witness = new Witness()

    expect(findTsconfig(join(root, 'flows/f.ts'), undefined, witness)?.path).toBe(
      join(root, 'flows/tsconfig.json'),
    )
    expect(findTsconfig(join(root, 'f.ts'), undefined, witness)?.path).toBe(
      join(root, 'tsconfig.json'),
    )
  })

  test('may be named', async () => {
    await writeFiles(root, { 'tsconfig.json': '{}', 'other.json': '{}' })

    expect(findTsconfig(join(root, 'f.ts'), join(root, 'other.json'), new Witness())?.path).toBe(
      join(root, 'other.json'),
    )
  })

  test('leads by the best pattern: an exact one, then the longest', async () => {
    const files = {
      'tsconfig.json': config({
        paths: { '*': ['any/*'], '@/*': ['at/*'], '@/deep/*': ['deep/*'], '@/x': ['exact.ts'] },
      }),
    }

    expect(await targets('@/x', files)).toEqual(['exact.ts'])
    expect(await targets('@/deep/y', files)).toEqual(['deep/y'])
    expect(await targets('@/y', files)).toEqual(['at/y'])
    expect(await targets('y', files)).toEqual(['any/y'])
  })

  test('may name several places, in order', async () => {
    expect(
      await targets('@/x', { 'tsconfig.json': config({ paths: { '@/*': ['a/*', 'b/*.ts'] } }) }),
    ).toEqual(['a/x', 'b/x.ts'])
  })

  test('has a base for paths and for bare names', async () => {
    const files = { 'tsconfig.json': config({ baseUrl: 'src', paths: { '@/*': ['lib/*'] } }) }

    expect(await targets('@/x', files)).toEqual(['src/lib/x', 'src/@/x'])
    expect(await targets('x', files)).toEqual(['src/x'])
  })

  test('takes paths from where they are written', async () => {
    const files = {
      'tsconfig.json': config({}, { extends: ['./a/base.json', './b/base.json'] }),
      'a/base.json': config({ paths: { '@/*': ['a/*'] } }),
      'b/base.json': config({ paths: { '@/*': ['./x/*', '${configDir}/y/*'] } }),
    }

    expect(await targets('@/z', files)).toEqual(['b/x/z', 'y/z'])
  })

  test('may extend one of a package, and one that is not there', async () => {
    const files = {
      'tsconfig.json': config({}, { extends: ['base/tsconfig.json', './nope.json', 'nope'] }),
      'node_modules/base/package.json': '{}',
      'node_modules/base/tsconfig.json': config({ paths: { '@/*': ['./lib/*'] } }),
    }

    expect(await targets('@/x', files)).toEqual(['node_modules/base/lib/x'])
  })

  test.each([
    ['that extends itself', config({}, { extends: './tsconfig.json' })],
    ['with one target instead of a list', '{"compilerOptions":{"paths":{"no":"no"}}}'],
    ['that is no JSON', '{"compilerOptions"'],
    ['that is empty', ''],
    ['that is null', 'null'],
  ])('%s leads nowhere', async (_what, text) => {
    expect(await targets('@/x', { 'tsconfig.json': text })).toEqual([])
  })

  test('may hold comments and commas, but not lose a text for them', async () => {
    const text = `\ufeff{ // comment
      "compilerOptions": { /* "paths": 1, */ "paths": { "@//*": ["a,/*",], }, },
    }`

    expect(await targets('@//x', { 'tsconfig.json': text })).toEqual(['a,/x'])
  })
})
