import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'

let copy: PackageCopy
let project: Project

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/ask.ts': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('ask', async () => interruptForApproval('Go on?'))`,
  })
})
afterEach(() => project.remove())

async function waiting(): Promise<string> {
  const { document } = await project.json(['run', 'ask'])
  return document.thread.id
}

describe('a thread whose lock was left before a restart of the machine', () => {
  /** As a process of an earlier boot leaves it when the power fails. */
  function leaveLock(threadId: string): void {
    const owner = { host: 'here', boot: 'before', pidNamespace: '', pid: 4242, start: '1' }
    const lock = { ...owner, owner: 'runner', since: '2026-11-30T09:01:00.000Z', nonce: 'n' }
    writeFileSync(project.path(`.hexagon/threads/${threadId}.lock`), JSON.stringify(lock))
  }

  test('is refused with the command that takes it', async () => {
    const id = await waiting()
    leaveLock(id)

    const { code, stderr } = await project.run(['resume', id, '--approve'])

    expect(code).toBe(69)
    expect(stderr).toContain('is being run by pid 4242 on here')
    expect(stderr.replaceAll(/\s+/gu, ' ')).toContain(`hexagon resume ${id} --steal-lock`)
  })

  test('is taken by --steal-lock', async () => {
    const id = await waiting()
    leaveLock(id)

    const { code, stdout } = await project.run(['resume', id, '--approve', '--steal-lock'])

    expect(code).toBe(0)
    expect(stdout).toBe('true\n')
  })
})

describe('import', () => {
  async function exported(id: string): Promise<void> {
    const { stdout } = await project.run(['export', id, '--copy'])
    project.write('thread.json', stdout)
  }

  test('--force replaces a damaged thread and keeps what was damaged', async () => {
    const id = await waiting()
    await exported(id)
    const file = project.path(`.hexagon/threads/${id}.json`)
    writeFileSync(file, '{"format":1,"id":')

    const refused = await project.run(['import', 'thread.json', '--trust'])
    const forced = await project.run(['import', 'thread.json', '--trust', '--force'])
    const resumed = await project.run(['resume', id, '--approve'])

    expect(refused).toMatchObject({ code: 74 })
    expect(forced).toMatchObject({ code: 0 })
    expect(forced.stderr).toContain('Kept what was damaged: ')
    const kept = readdirSync(project.path('.hexagon/damaged'))
    expect(
      kept.map((name) => readFileSync(project.path(`.hexagon/damaged/${name}`), 'utf8')),
    ).toContain('{"format":1,"id":')
    expect(resumed).toMatchObject({ code: 0, stdout: 'true\n' })
  })

  test('names no option that it does not have', async () => {
    project.write('broken.json', '{')

    const missing = await project.run(['import', 'none.json', '--trust'])
    const broken = await project.run(['import', 'broken.json', '--trust'])

    expect(missing.stderr).toContain('Check the path.')
    expect(broken.stderr).toContain('Correct it.')
    expect(missing.stderr + broken.stderr).not.toMatch(/@@|--data-raw/u)
  })
})

test('a flow file that was moved as it is has not changed', async () => {
  const id = await waiting()
  project.write('other/moved.ts', readFileSync(project.path('flows/ask.ts'), 'utf8'))

  const { code, stderr } = await project.run([
    'resume',
    id,
    '--approve',
    '--flow',
    'other/moved.ts',
  ])

  expect(code).toBe(0)
  expect(stderr).not.toContain('changed')
})
