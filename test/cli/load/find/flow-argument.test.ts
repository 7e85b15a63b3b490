import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { locateFlow, notFound } from '../../../../src/cli/load/find/flow-argument.ts'
import { scratch, writeFiles } from '../support/command.ts'

const flow = 'export default () => 1\n'

let root: string

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

interface Start {
  readonly cwd?: string
  readonly flowsDir?: string
}

/** What an argument means: a path from the root, an export, or only a name. */
function meaning(argument: string, { cwd = '', flowsDir }: Start = {}): string {
  const located = locateFlow({ argument, root, cwd: join(root, cwd), flowsDir })
  if (located.kind === 'name')
    throw notFound({ argument, root, cwd: join(root, cwd), flowsDir }, located.name)
  return `${located.file.slice(root.length + 1)}#${located.exportName}`
}

/** The error that an argument ends in. */
function refusal(argument: string, start?: Start): unknown {
  try {
    return meaning(argument, start)
  } catch (error) {
    return error
  }
}

describe('a flow argument', () => {
  beforeEach(() =>
    writeFiles(root, {
      'flows/deploy.ts': flow,
      'flows/triage/index.mts': flow,
      'flows/ops/clean.cjs': 'module.exports = () => 1',
      'flows/notes.txt': '',
      'flows/v1.2.ts': flow,
      'tools/own.js': flow,
      'tools/flow#1.ts': flow,
      'tools/with space 流.ts': flow,
      'tools/dir/index.ts': flow,
    }),
  )

  test.each([
    ['tools/own.js', 'tools/own.js#default'],
    ['./tools/own.js', 'tools/own.js#default'],
    ['tools/own', 'tools/own.js#default'],
    ['tools/dir', 'tools/dir/index.ts#default'],
    ['flows/deploy.ts', 'flows/deploy.ts#default'],
    ['flows/deploy', 'flows/deploy.ts#default'],
    ['deploy', 'flows/deploy.ts#default'],
    ['deploy.ts', 'flows/deploy.ts#default'],
    ['triage', 'flows/triage/index.mts#default'],
    ['ops/clean', 'flows/ops/clean.cjs#default'],
    ['clean', 'flows/ops/clean.cjs#default'],
    ['v1.2', 'flows/v1.2.ts#default'],
    ['deploy#rollback', 'flows/deploy.ts#rollback'],
    ['flows/deploy.ts#rollback', 'flows/deploy.ts#rollback'],
    ['deploy#', 'flows/deploy.ts#default'],
    ['tools/flow#1.ts', 'tools/flow#1.ts#default'],
    ['tools/flow#1.ts#named', 'tools/flow#1.ts#named'],
    ['tools/with space 流.ts', 'tools/with space 流.ts#default'],
  ])('%s means %s', (argument, expected) => {
    expect(meaning(argument)).toBe(expected)
  })

  test('may be absolute', () => {
    expect(meaning(join(root, 'tools/own.js'))).toBe('tools/own.js#default')
  })

  test('is relative to where the person stands, else to the root', () => {
    expect(meaning('own.js', { cwd: 'tools' })).toBe('tools/own.js#default')
    expect(meaning('flows/deploy.ts', { cwd: 'tools' })).toBe('flows/deploy.ts#default')
    expect(meaning('deploy', { cwd: 'tools' })).toBe('flows/deploy.ts#default')
  })

  test('may be in another folder by config', () => {
    expect(meaning('own', { flowsDir: 'tools' })).toBe('tools/own.js#default')
  })

  test('may lead through a link', async () => {
    await symlink(join(root, 'tools/own.js'), join(root, 'flows/linked.mjs'))

    expect(meaning('linked')).toBe('flows/linked.mjs#default')
  })

  test('means a flow, though a folder has the name', async () => {
    await mkdir(join(root, 'deploy'))

    expect(meaning('deploy')).toBe('flows/deploy.ts#default')
  })

  test('means a flow, though another kind of file has the name', async () => {
    await writeFiles(root, { deploy: '#!/bin/sh' })

    expect(meaning('deploy')).toBe('flows/deploy.ts#default')
  })
})

describe('a flow argument is refused', () => {
  test('with E1101 when nothing has the name, and a near one is offered', async () => {
    await writeFiles(root, { 'flows/deploy.ts': flow })

    expect(refusal('deplyo')).toMatchObject({
      code: 'E1101',
      message: expect.stringContaining('No flow "deplyo". Looked for ./deplyo, flows/deplyo'),
      hint: 'Did you mean deploy?',
    })
    expect(refusal('zzz')).toMatchObject({ code: 'E1101', hint: 'Flows here: deploy' })
    expect(refusal('flows/deplyo.ts')).toMatchObject({
      code: 'E1101',
      hint: 'Did you mean flows/deploy.ts?',
    })
  })

  test('with E1101 when the flows folder is empty', async () => {
    await mkdir(join(root, 'flows'))

    expect(refusal('deploy')).toMatchObject({
      code: 'E1101',
      hint: expect.stringContaining('hexagon init'),
    })
  })

  test('with E1102 without a flows folder', () => {
    expect(refusal('deploy')).toMatchObject({
      code: 'E1102',
      message: `No flows directory in ${root}`,
      hint: expect.stringContaining('hexagon init makes one, or give a file'),
    })
    expect(refusal('./deploy.ts')).toMatchObject({ code: 'E1101' })
  })

  test.each([
    [
      ['flows/deploy.ts', 'flows/ops/deploy.ts'],
      '"deploy" is both flows/deploy.ts and flows/ops/deploy.ts',
    ],
    [
      ['flows/deploy.ts', 'flows/deploy.mjs'],
      '"deploy" is both flows/deploy.ts and flows/deploy.mjs',
    ],
    [
      ['flows/deploy.ts', 'flows/deploy/index.ts'],
      '"deploy" is both flows/deploy.ts and flows/deploy/index.ts',
    ],
    [
      ['flows/a/deploy.ts', 'flows/b/deploy.ts'],
      '"deploy" is both flows/a/deploy.ts and flows/b/deploy.ts',
    ],
  ])('with E1103 when %j have the name', async (paths, message) => {
    await writeFiles(root, Object.fromEntries(paths.map((path) => [path, flow])))

    expect(refusal('deploy')).toMatchObject({ code: 'E1103', message })
    expect(meaning(paths[0] ?? '')).toBe(`${paths[0]}#default`)
  })

  test('but not for a helper of the same name', async () => {
    await writeFiles(root, {
      'flows/deploy.ts': flow,
      'flows/steps/deploy.ts': 'export const step = 1',
    })

    expect(meaning('deploy')).toBe('flows/deploy.ts#default')
  })

  test('with E1104 for a folder without an index', async () => {
    await mkdir(join(root, 'flows/deploy'), { recursive: true })

    for (const argument of [
      'flows/deploy',
      'deploy',
      './flows/deploy/',
      join(root, 'flows/deploy'),
    ]) {
      expect(refusal(argument)).toMatchObject({
        code: 'E1104',
        message: 'flows/deploy is a directory without index.ts',
      })
    }
  })

  test('with E1105 when it can not be read', async () => {
    await writeFiles(root, { 'flows/deploy.ts': flow })
    await chmod(root, 0o755)
    await chmod(join(root, 'flows/deploy.ts'), 0)
    // The superuser reads everything.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    const error = refusal('deploy')
    if (isRoot) process.seteuid?.(0)

    expect(error).toMatchObject({
      code: 'E1105',
      message: 'Cannot read flows/deploy.ts: permission denied',
    })
  })

  test.each(['-', 'notes.txt', './notes.txt', 'script', 'nope.json', 'x.d.ts'])(
    'with E1106 for %s',
    async (argument) => {
      await writeFiles(root, { 'flows/a.ts': flow, 'notes.txt': '', script: '', 'x.d.ts': '' })

      expect(refusal(argument)).toMatchObject({
        code: 'E1106',
        hint: 'A flow must be a .ts, .mts, .cts, .js, .mjs or .cjs file.',
      })
    },
  )

  test('with E1117 for a name that the loader can not take', async () => {
    await writeFiles(root, { 'flows/wh?t.ts': flow })

    expect(refusal('flows/wh?t.ts')).toMatchObject({
      code: 'E1117',
      message: expect.stringContaining('"?"'),
    })
  })

  test('when it would lead out of the flows folder', async () => {
    await writeFiles(root, { 'secret.ts': flow, 'a/flows/x.ts': flow })

    expect(refusal('../secret', { cwd: 'a/flows', flowsDir: 'a/flows' })).toMatchObject({
      code: 'E1101',
    })
  })

  test('when it is empty', async () => {
    await writeFiles(root, { 'flows/index.ts': flow })

    expect(refusal('')).toMatchObject({ code: 'E1101' })
  })
})
