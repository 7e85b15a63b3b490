import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import manifest from '../package.json' with { type: 'json' }

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
const { './package.json': _manifest, ...entries } = manifest.exports

let folder: string
let packed: { files: { path: string; mode: number }[] }
let app: string
let bin: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hexagon-package-'))
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: root })
  const report = JSON.parse(stdout)
  packed = report[0]
  app = await install(join(folder, report[0].filename))
  bin = join(app, 'node_modules/hexagon/bin/hexagon.js')
}, 60_000)

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('the packed tarball', () => {
  test('holds only what a user needs', () => {
    const tops = new Set(packed.files.map(({ path }) => path.split('/', 1).join()))

    expect([...tops].toSorted()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json'])
  })

  test('holds no source and no test', () => {
    const strays = packed.files.filter(({ path }) => /(?<!\.d)\.ts$|\.test\.|\.map$/.test(path))

    expect(strays).toEqual([])
  })

  test('holds every file that the manifest names', () => {
    const named = [...Object.values(entries), ...Object.values(manifest.imports)].flatMap(
      ({ 'hexagon:source': _source, ...targets }) => Object.values<string>(targets),
    )
    const paths = new Set(packed.files.map(({ path }) => `./${path}`))

    expect(named.filter((target) => !paths.has(target))).toEqual([])
  })

  test('has a command that may be run', () => {
    const command = packed.files.find(({ path }) => path === manifest.bin.hexagon)

    expect(command?.mode).toBe(0o755)
  })

  test('carries the licence of each package inside it', async () => {
    const notices = await readFile(join(app, 'node_modules/hexagon/dist/NOTICES.txt'), 'utf8')

    expect(notices).toMatch(/^commander 14\.\S+ \(MIT\)$/m)
    expect(notices).toMatch(/^lowdb 7\.\S+ \(MIT\)$/m)
  })
})

describe('an installed package', () => {
  test.each(Object.entries(entries))('exports from %s what the source does', async (entry, to) => {
    const source: object = await import(join(root, to['hexagon:source']))
    const name = join('hexagon', entry)

    const printed = await evaluate(
      `console.log(JSON.stringify(Object.keys(await import('${name}'))))`,
    )

    expect(JSON.parse(printed).toSorted()).toEqual(Object.keys(source).toSorted())
  })

  test('shares one copy of a class between entries', async () => {
    const printed = await evaluate(`
      const [all, stores] = await Promise.all([import('hexagon'), import('hexagon/stores')])
      const shared = Object.keys(all).filter((name) => name in stores)
      console.log(shared.every((name) => all[name] === stores[name]))`)

    expect(printed).toBe('true')
  })

  test('has nothing behind its entries', async () => {
    const attempt = evaluate("await import('hexagon/dist/index.js')")

    await expect(attempt).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  test('type-checks in a strict project', async () => {
    const lines = Object.keys(entries).map(
      (entry, index) => `export * as entry${index} from '${join('hexagon', entry)}'`,
    )
    await writeFile(join(app, 'user.ts'), lines.join('\n'))
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')

    const { stdout } = await run(process.execPath, [tsc, ...flags, 'user.ts'], { cwd: app })

    expect(stdout).toBe('')
  }, 60_000)
})

describe('the command', () => {
  test('says its version without the rest of the package', async () => {
    const alone = join(folder, 'alone')
    await cp(bin, join(alone, 'bin/hexagon.js'))
    await cp(join(root, 'package.json'), join(alone, 'package.json'))

    const { stdout } = await run(process.execPath, [join(alone, 'bin/hexagon.js'), '-V'])

    expect(stdout).toBe(`${manifest.version}\n`)
  })

  test('starts without any other package', async () => {
    const alone = join(folder, 'bare')
    await cp(join(app, 'node_modules/hexagon'), alone, { recursive: true })

    const { stdout } = await run(process.execPath, [join(alone, 'bin/hexagon.js'), '--help'])

    expect(stdout).toContain('hexagon')
  })

  test('reads little before it knows what is asked', async () => {
    const bytes = await staticBytes(join(app, 'node_modules/hexagon/dist/cli/main.js'))

    // Code costs when it is only read: some 1 ms of CPU for 10 kB.
    expect(bytes).toBeLessThan(130_000)
  })

  test('reads few files for a listing', async () => {
    const chunks = join(app, 'node_modules/hexagon/dist/chunks')
    const line = (await readdir(chunks)).find((name) => name.startsWith('command-line-')) ?? ''

    // Each file costs about 0.4 ms of CPU, however small it is.
    expect((await staticFiles(join(chunks, line))).size).toBeLessThan(9)
  })

  test('refuses an old Node in one sentence', async () => {
    const old = 'Object.defineProperty(process,"versions",{value:{node:"18.20.4"}})'
    const args = ['--import', `data:text/javascript,${old}`, bin, 'run']

    const failure: unknown = await run(process.execPath, args).catch((error: unknown) => error)

    expect(failure).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'hexagon needs Node 20.19 or newer, this is 18.20\n',
    })
  })
})

/** A bare project with the tarball unpacked as npm would, its dependencies linked to ours. */
async function install(tarball: string): Promise<string> {
  const project = join(folder, 'app')
  const target = join(project, 'node_modules/hexagon')
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  const linked = [...Object.keys(manifest.dependencies), '@types/node']
  for (const name of linked) {
    const link = join(project, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link)
  }
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  return project
}

/** How much a module and everything it imports statically weigh. */
async function staticBytes(file: string): Promise<number> {
  const texts = [...(await staticFiles(file)).values()]
  return texts.reduce((bytes, text) => bytes + text.length, 0)
}

/** The texts of a module and of everything it imports statically, by path. */
async function staticFiles(
  file: string,
  found = new Map<string, string>(),
): Promise<ReadonlyMap<string, string>> {
  if (found.has(file)) return found
  const text = await readFile(file, 'utf8')
  found.set(file, text)
  for (const [, target = ''] of text.matchAll(/(?:from|import)"(\.[^"]+)"/g)) {
    await staticFiles(resolve(dirname(file), target), found)
  }
  return found
}

async function evaluate(code: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: app })
  return stdout.trim()
}
