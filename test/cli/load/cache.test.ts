import {
  chmod,
  cp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import {
  installCommand,
  scratch,
  writeFiles,
  type Command,
  type Outcome,
} from './support/command.ts'

let command: Command
let root: string
let cache: string

beforeAll(async () => {
  command = await installCommand()
})

afterAll(() => command.remove())

beforeEach(async () => {
  root = await scratch()
  cache = join(root, '.hexagon/cache')
  await writeFiles(root, {
    'package.json': '{"type":"module"}',
    'tsconfig.json': '{}',
    'flows/f.ts': `import { value } from '../lib/value.js'\nexport default (): string => 'f1 ' + value\n`,
    'lib/value.ts': `export const value: string = 'v1'\n`,
  })
})

afterEach(() => rm(root, { recursive: true, force: true }))

const load = (place = root, job = {}): Promise<Outcome> =>
  command.load(place, 'f', { input: 0, ...job })

const cached = { tsx: false, esbuild: false, cached: true }
const anew = { tsx: false, esbuild: true, cached: false }

/** Every file of the cache, by its path inside it. */
async function cacheFiles(): Promise<string[]> {
  const files = await readdir(join(root, '.hexagon/cache'), {
    recursive: true,
    withFileTypes: true,
  })
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
}

describe('a second start', () => {
  test('loads neither tsx nor esbuild', async () => {
    const first = await load()
    const second = await load()

    expect(first.result).toMatchObject({ ...anew, output: 'f1 v1' })
    expect(second.result).toMatchObject({ ...cached, output: 'f1 v1' })
    expect(second.result['fingerprint']).toBe(first.result['fingerprint'])
    expect(second.result['files']).toEqual(['flows/f.ts', 'lib/value.ts'])
  })

  test('sees an edit', async () => {
    const first = await load()
    await writeFile(join(root, 'flows/f.ts'), `export default (): string => 'f2'\n`)
    const second = await load()

    expect(second.result).toMatchObject({ ...anew, output: 'f2', files: ['flows/f.ts'] })
    expect(second.result['fingerprint']).not.toBe(first.result['fingerprint'])
  })

  test('sees an edit that keeps size and time', async () => {
    const file = join(root, 'lib/value.ts')
    await load()
    const { atime, mtime } = await stat(file)
    await writeFile(file, `export const value: string = 'v2'\n`)
    await utimes(file, atime, mtime)

    expect((await load()).result).toMatchObject({ ...anew, output: 'f1 v2' })
  })

  test('is not disturbed by a file that was only touched', async () => {
    await load()
    await utimes(join(root, 'lib/value.ts'), new Date(), new Date())

    expect((await load()).result).toMatchObject(cached)
  })

  test('sees a file that now comes before the one it had', async () => {
    await load()
    await rename(join(root, 'lib/value.ts'), join(root, 'lib/value.js'))
    await writeFile(join(root, 'lib/value.js'), `export const value = 'js'`)
    expect((await load()).result).toMatchObject({ ...anew, output: 'f1 js' })
    await writeFile(join(root, 'lib/value.ts'), `export const value: string = 'ts'`)

    expect((await load()).result).toMatchObject({ ...anew, output: 'f1 ts' })
  })

  test.each([
    ['tsconfig.json', '{"compilerOptions":{"strict":true}}'],
    ['package.json', '{"type":"commonjs"}'],
    ['flows/package.json', '{}'],
    ['flows/tsconfig.json', '{}'],
  ])('sees a new %s', async (path, text) => {
    await load()
    await writeFile(join(root, path), text)

    expect((await load()).result).toMatchObject(anew)
    expect((await load()).result).toMatchObject(cached)
  })

  test('works after the project has moved', async () => {
    const before = await load()
    const moved = `${root}-moved`
    await rename(root, moved)
    const there = await load(moved)
    const again = await load(moved)
    await rename(moved, root)

    expect(there.result).toMatchObject({ ...anew, output: 'f1 v1' })
    expect(there.result['fingerprint']).toBe(before.result['fingerprint'])
    expect(again.result).toMatchObject(cached)
    expect((await load()).result).toMatchObject(cached)
  })

  test('is the same through a link to the project', async () => {
    const before = await load()
    const link = `${root}-link`
    await symlink(root, link)
    const there = await load(link)
    await unlink(link)

    expect(there.result).toMatchObject({
      ...cached,
      path: 'flows/f.ts',
      files: ['flows/f.ts', 'lib/value.ts'],
      fingerprint: before.result['fingerprint'],
    })
  })

  test('does not mistake a copy of the project for it', async () => {
    await load()
    const copy = `${root}-copy`
    await cp(root, copy, { recursive: true })
    await writeFile(join(copy, 'lib/value.ts'), `export const value: string = 'copy'\n`)
    const there = await load(copy)
    await rm(copy, { recursive: true })

    expect(there.result).toMatchObject({ ...anew, output: 'f1 copy' })
    expect((await load()).result).toMatchObject({ ...cached, output: 'f1 v1' })
  })
})

describe('the cache', () => {
  test('is for its owner alone, and out of sight of git', async () => {
    await load()
    const modes = await Promise.all(
      ['.hexagon', '.hexagon/cache'].map(
        async (path) => (await stat(join(root, path))).mode & 0o777,
      ),
    )
    const files = await Promise.all(
      (await cacheFiles()).map(async (file) => (await stat(file)).mode & 0o777),
    )

    expect(modes).toEqual([0o700, 0o700])
    expect(files).toEqual([0o600, 0o600, 0o600])
    expect(await readFile(join(root, '.hexagon/.gitignore'), 'utf8')).toBe('*\n')
  })

  test.each([
    ['cut', (text: Buffer) => text.subarray(0, text.length / 2)],
    ['emptied', () => Buffer.alloc(0)],
    ['changed in one bit', (text: Buffer) => flipped(text)],
    ['something else', () => Buffer.from('null')],
  ])('is made again when a file is %s', async (_what, damage) => {
    await load()
    for (const file of await cacheFiles()) {
      const whole = await readFile(file)
      await writeFile(file, damage(whole))
      expect((await load()).result).toMatchObject({ ...anew, output: 'f1 v1' })
      expect((await load()).result).toMatchObject(cached)
    }
  })

  test.each(['.hexagon/cache', 'the entry', 'plan'])(
    'is not trusted when others may write in %s',
    async (what) => {
      await load()
      const [entry = ''] = await readdir(join(root, '.hexagon/cache'))
      const path =
        { 'the entry': `.hexagon/cache/${entry}`, plan: `.hexagon/cache/${entry}/plan` }[what] ??
        what
      await chmod(join(root, path), 0o777)

      expect((await load()).result).toMatchObject({ ...anew, output: 'f1 v1' })
    },
  )

  test('does without a folder that it can not write', async () => {
    await writeFile(join(root, '.hexagon'), 'not a folder')
    const outcomes = [await load(), await load()]

    expect(outcomes.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(outcomes.map(({ result }) => result)).toMatchObject([anew, anew])
  })

  test('does without any folder', async () => {
    await writeFile(join(root, '.hexagon'), 'not a folder')
    const outcome = await load(root, { temporary: join(root, 'nowhere') })

    expect(outcome.result).toMatchObject({ output: 'f1 v1', tsx: true })
  })

  test('leaves no trace when it is only to last as long as the process', async () => {
    const outcome = await load(root, { cache: 'temporary' })

    expect(outcome.result).toMatchObject({ ...anew, output: 'f1 v1' })
    await expect(stat(join(root, '.hexagon'))).rejects.toThrow('ENOENT')
  })

  test('is written by several processes at once', async () => {
    const outcomes = await Promise.all([load(), load(), load(), load()])

    expect(outcomes.map(({ result }) => result['output'])).toEqual(Array(4).fill('f1 v1'))
    expect((await load()).result).toMatchObject(cached)
    expect(await cacheFiles()).toHaveLength(3)
  })

  test('forgets old builds, not young ones', async () => {
    const builds = async (): Promise<string[]> => {
      const [entry = ''] = await readdir(cache)
      const names = await readdir(join(cache, entry))
      return names.filter((name) => name !== 'plan').map((name) => join(cache, entry, name))
    }
    await load()
    const [old = ''] = await builds()
    await utimes(old, new Date(0), new Date(0))
    await writeFile(join(root, 'lib/value.ts'), `export const value: string = 'v2'\n`)
    await load()
    const [young = ''] = await builds()
    await writeFile(join(root, 'lib/value.ts'), `export const value: string = 'v3'\n`)
    await load()

    expect(await builds()).toHaveLength(2)
    expect(await builds()).toContain(young)
    expect(await builds()).not.toContain(old)
  })

  test('forgets old flows, not young ones', async () => {
    await writeFiles(root, {
      'flows/g.ts': 'export default () => 1',
      'flows/h.ts': 'export default () => 1',
    })
    await load()
    const [old = ''] = await readdir(cache)
    await utimes(join(cache, old), new Date(0), new Date(0))
    await command.load(root, 'g')
    const [young = ''] = await readdir(cache)
    await command.load(root, 'h')

    expect(await readdir(cache)).toHaveLength(2)
    expect(await readdir(cache)).toContain(young)
    expect(young).not.toBe(old)
  })

  test('is not shared between installed commands', async () => {
    const other = await installCommand()
    await writeFiles(root, {
      'flows/f.ts': `import { copy } from 'hexagon'\nexport default () => copy`,
    })
    const mine = await load()
    const theirs = await other.load(root, 'f', { input: 0 })
    await other.remove()

    expect(mine.result).toMatchObject({ ...anew, output: 'command' })
    expect(theirs.result).toMatchObject({ ...anew, output: 'command' })
    expect((await load()).result).toMatchObject(cached)
  })
})

describe('one process that loads twice', () => {
  test('O20 sees an edit of the flow and of what it imports', async () => {
    expect(
      await withEdit(
        {},
        {
          'flows/f.ts': `import { value } from '../lib/value'\nexport default () => 'f2 ' + value`,
          'lib/value.ts': `export const value: string = 'v2'`,
        },
      ),
    ).toEqual(['f1 v1', 'f2 v2'])
  })

  test('O20 sees it in plain JavaScript', async () => {
    await rm(join(root, 'flows/f.ts'))
    expect(
      await withEdit(
        {
          'flows/f.mjs': `import { value } from '../lib/value.mjs'\nexport default () => value`,
          'lib/value.mjs': `export const value = 1`,
        },
        { 'lib/value.mjs': `export const value = 2` },
      ),
    ).toEqual([1, 2])
  })

  test('O20 sees it in CommonJS', async () => {
    await rm(join(root, 'flows/f.ts'))
    expect(
      await withEdit(
        {
          'flows/f.cjs': `const { value } = require('../lib/value.cjs')\nmodule.exports = () => value`,
          'lib/value.cjs': `exports.value = 1`,
        },
        { 'lib/value.cjs': `exports.value = 2` },
      ),
    ).toEqual([1, 2])
  })

  test('O20 sees it through tsx', async () => {
    expect(
      await withEdit(
        {
          'package.json': '{}',
          'flows/f.ts': `const { value } = require('../lib/value')\nexport default (): string => value`,
        },
        { 'lib/value.ts': `export const value: string = 'v2'` },
      ),
    ).toEqual(['v1', 'v2'])
  })
})

/** What a flow gives in two rounds of one process, with an edit between them. */
async function withEdit(
  files: Record<string, string>,
  edit: Record<string, string>,
): Promise<unknown> {
  await writeFiles(root, files)
  const child = command.start(root, 'f', { input: 0, rounds: 2 })
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  let last = ''
  for await (const line of lines) {
    if (line.includes('"next"')) {
      await writeFiles(root, edit)
      child.stdin?.end('\n')
    }
    last = line
  }
  const rounds: unknown = JSON.parse(last)
  return Array.isArray(rounds) ? rounds.map((round: { output: unknown }) => round.output) : rounds
}

/** With the lowest bit of its middle byte the other way. */
function flipped(text: Buffer): Buffer {
  const copy = Buffer.from(text)
  const middle = copy.length >> 1
  copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle)
  return copy
}
