import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { RunningCommand, type CommandEnd } from '../support/project.ts'
import { Repository } from './support/repository.ts'

let copy: PackageCopy
let repository: Repository
let head: string

beforeAll(() => {
  copy = copyPackage()
})

afterAll(() => {
  copy.remove()
})

beforeEach(() => {
  repository = new Repository()
  repository.commit('feat: first words')
  repository.git('tag', 'v1.2.3')
  head = repository.commit('fix: mend it')
  const flow = resolve(import.meta.dirname, '../../flows/release.ts')
  cpSync(flow, join(repository.folder, 'flows/release.ts'))
})

afterEach(() => {
  repository.remove()
})

describe('a release on the command line', () => {
  test('waits for each answer in a process of its own, then tags what was approved', async () => {
    const bump = await start()
    expect(bump.interrupts).toMatchObject([{ kind: 'choice', key: 'node:bump' }])
    expect(await answer('--choose', 'patch: 1.2.4')).toMatchObject({ code: 75 })
    expect(await answer('--text', '- It works again')).toMatchObject({ code: 75 })

    const done = await answer('--approve')

    expect(done).toMatchObject({ code: 0 })
    expect(JSON.parse(done.stdout)).toMatchObject({
      status: 'completed',
      result: { released: true, version: '1.2.4', tag: 'v1.2.4', commit: head },
    })
    expect(repository.tags).toEqual(['v1.2.3', 'v1.2.4'])
  })

  test.each(['after', 'before'])(
    'makes exactly one tag when the process is killed right %s git made it',
    async (moment) => {
      await untilApproval()
      const path = killingGit(moment)

      const killed = await answerWith({ PATH: path }, '--approve')
      expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' })
      expect(repository.tags).toEqual(moment === 'after' ? ['v1.2.3', 'v1.2.4'] : ['v1.2.3'])
      const resumed = await hexagon(['resume', 'rel', '--json'])

      expect(resumed).toMatchObject({ code: 0 })
      expect(repository.tags).toEqual(['v1.2.3', 'v1.2.4'])
      expect(repository.git('rev-parse', 'v1.2.4^{commit}')).toBe(head)
      expect(repository.changelog?.match(/^## \[1\.2\.4\]/gm)).toHaveLength(1)
    },
  )

  test('refuses in another process to release a commit that nobody approved', async () => {
    await untilApproval()
    repository.commit('feat: sneaked in')

    const refused = await answer('--approve')

    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain('HEAD moved since the approval')
    expect(repository.tags).toEqual(['v1.2.3'])
    expect(repository.changelog).toBeUndefined()
  })

  test('fails without a stack outside a repository', async () => {
    const env = { GIT_DIR: join(repository.folder, 'nowhere') }

    const failed = await hexagon(['run', 'flows/release.ts'], env)

    expect(failed.code).toBe(1)
    expect(failed.stderr.replaceAll(/\s+/g, ' ')).toContain('is not a git repository to release')
    // The one place where it failed, not the calls that led there.
    expect(failed.stderr.match(/^\s+at /gm)).toHaveLength(1)
  })
})

interface Waiting {
  readonly interrupts: readonly { readonly id: string; readonly digest: string }[]
}

async function start(): Promise<Waiting> {
  const args = ['run', 'flows/release.ts', '--thread', 'rel', '--json']
  const started = await hexagon(args)
  if (started.code !== 75) throw new Error(started.stderr)
  return JSON.parse(started.stdout) as Waiting
}

async function untilApproval(): Promise<void> {
  await start()
  await answer('--choose', 'patch: 1.2.4')
  await answer('--text', '- It works again')
}

function answer(...args: string[]): Promise<CommandEnd> {
  return answerWith({}, ...args)
}

/** The command, in the repository. */
function hexagon(args: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> {
  const { folder } = repository
  const options = { cwd: folder, env: { HOME: folder, ...env } }
  return new RunningCommand(process.execPath, [copy.bin, ...args], options).end
}

/** Answers what is open, by its id and digest. */
async function answerWith(env: Record<string, string>, ...args: string[]): Promise<CommandEnd> {
  const { stdout } = await hexagon(['pending', '--json'])
  const { threads } = JSON.parse(stdout) as { threads: Waiting[] }
  const [open] = threads.flatMap(({ interrupts }) => interrupts)
  if (open === undefined) throw new Error('Nothing is open')
  const safe = ['resume', open.id, '--digest', open.digest, ...args, '--json']
  return hexagon(safe, env)
}

/** A `git` that kills the process it works for when asked to make a tag; as PATH. */
function killingGit(moment: string): string {
  const path = process.env['PATH'] ?? ''
  const folder = join(repository.folder, '.git/killing')
  const real = `PATH='${path}' git "$@"`
  const kill = 'kill -9 $PPID'
  const script = [
    '#!/bin/sh',
    'if [ "$1 $2" = "tag --annotate" ]; then',
    ...(moment === 'after' ? [real, kill] : [kill]),
    'exit 1; fi',
    `exec env PATH='${path}' git "$@"`,
  ]
  mkdirSync(folder)
  writeFileSync(join(folder, 'git'), script.join('\n'))
  chmodSync(join(folder, 'git'), 0o755)
  return `${folder}:${path}`
}
