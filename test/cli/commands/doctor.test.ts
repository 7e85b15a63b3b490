import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { checkLibrary, checkNode } from '../../../src/cli/doctor/environment-check.ts'
import { fileStore } from '../../../src/stores/file.ts'
import { sqliteStore } from '../../../src/stores/sqlite.ts'
import { askingThread, claimant } from '../../contracts/store-data.ts'
import { CommandBench, type CommandOutcome } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({ 'hexagon.config.json': '{}' })
})
afterEach(() => bench.remove())

interface CheckDocument {
  readonly area: string
  readonly state: string
  readonly text: string
  readonly hint: string | null
  readonly kind: string | null
  readonly threadId: string | null
  readonly fixable: boolean
}

function checksOf({ stdout }: CommandOutcome): readonly CheckDocument[] {
  const document: { readonly checks: readonly CheckDocument[] } = JSON.parse(stdout)
  return document.checks
}

async function threeThreads(): Promise<string> {
  const folder = join(bench.folder, '.hexagon')
  const store = fileStore(folder)
  for (const id of ['aaaa', 'bbbb', 'cccc']) await askingThread(store, id, { ids: [`i_${id}`] })
  await store.close()
  return folder
}

describe('doctor', () => {
  test('says that all is well, exit 0', async () => {
    await threeThreads()

    const { code, stdout, stderr } = await bench.run(['doctor'])

    expect(code).toBe(0)
    expect(stdout).toContain(`Node.js ${process.versions.node}`)
    expect(stdout).toMatch(/Store .*\.hexagon: 3 threads/u)
    expect(stdout).toMatch(/Terminal: nobody is asked/u)
    expect(stderr).toContain('All is well.')
  })

  test('needs no store and makes none', async () => {
    const { code, stdout } = await bench.run(['doctor', '--fix', '--json'])

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, command: 'doctor', problems: 0 })
    expect(readdirSync(bench.folder)).toEqual(['hexagon.config.json'])
  })

  test('names every problem, changes nothing, exit 1', async () => {
    const folder = await threeThreads()
    writeFileSync(join(folder, 'threads/aaaa.json'), '')
    writeFileSync(join(folder, 'threads/bbbb.log'), '\0'.repeat(90))
    rmSync(join(folder, 'waiting/cccc.json'))

    const outcome = await bench.run(['doctor', '--json'])

    expect(outcome.code).toBe(1)
    const problems = checksOf(outcome).filter(({ state }) => state === 'problem')
    expect(problems).toMatchObject([
      { area: 'store', kind: 'damaged', threadId: 'aaaa', fixable: true },
      { area: 'store', kind: 'damaged', threadId: 'bbbb', fixable: true },
      { area: 'store', kind: 'descriptor', threadId: 'cccc', fixable: true },
    ])
    const human = await bench.run(['doctor'])
    expect(human.stdout).toContain('threads/aaaa.json is empty')
    expect(human.stderr).toContain('3 problems. Repair: hexagon doctor --fix')
    expect(readFileSync(join(folder, 'threads/aaaa.json'), 'utf8')).toBe('')
  })

  test('E1308 --fix keeps a copy and restores the last good version; a second time there is nothing to do', async () => {
    const folder = await threeThreads()
    writeFileSync(join(folder, 'threads/aaaa.json'), '{"half')
    writeFileSync(join(folder, 'threads/bbbb.log'), '')
    const before = await bench.run(['pending', '--json'])
    expect(before.code).toBe(74)

    const fixed = await bench.run(['doctor', '--fix', '--json'])

    expect(fixed.code).toBe(0)
    expect(checksOf(fixed).filter(({ state }) => state === 'fixed')).toMatchObject([
      { threadId: 'aaaa', text: expect.stringContaining('nothing is lost') },
      { threadId: 'bbbb', text: expect.stringContaining('what came after it is in doubt') },
    ])
    const copies = readdirSync(join(folder, 'damaged'))
    const copy = copies.find((name) => name.startsWith('aaaa.json.')) ?? ''
    expect(readFileSync(join(folder, 'damaged', copy), 'utf8')).toBe('{"half')
    const threads = JSON.parse((await bench.run(['threads', '--json'])).stdout)
    expect(threads.threads).toHaveLength(3)

    const again = await bench.run(['doctor', '--fix', '--json'])

    expect(checksOf(again).filter(({ state }) => state !== 'ok')).toEqual([])
    expect(readdirSync(join(folder, 'damaged'))).toEqual(copies)
  })

  test('--fix leaves a thread alone that is being run, says so, and repairs the others', async () => {
    const folder = await threeThreads()
    const store = fileStore(folder)
    const { fence } = await store.claim('bbbb', claimant())
    for (const id of ['aaaa', 'bbbb', 'cccc']) writeFileSync(join(folder, `threads/${id}.json`), '')

    const outcome = await bench.run(['doctor', '--fix', '--json'])

    expect(outcome.code).toBe(1)
    const checks = checksOf(outcome)
    expect(checks.filter(({ state }) => state === 'fixed').map(({ threadId }) => threadId)).toEqual(
      ['aaaa', 'cccc'],
    )
    expect(checks.find(({ state }) => state === 'problem')).toMatchObject({
      threadId: 'bbbb',
      hint: expect.stringMatching(/^Not repaired: .*bbbb/u),
    })
    expect(readFileSync(join(folder, 'threads/bbbb.json'), 'utf8')).toBe('')
    await store.release('bbbb', fence)
  })

  test('names twenty of a kind and counts the others', async () => {
    const folder = await threeThreads()
    for (let number = 0; number < 25; number++) {
      writeFileSync(join(folder, `waiting/gone-${number}.json`), '{}')
    }

    const { stdout } = await bench.run(['doctor'])

    expect(stdout.match(/describes a thread that is not there/gu)).toHaveLength(20)
    expect(stdout).toContain('and 5 more: phantom problem')
  })

  test('goes on where the configuration cannot be read', async () => {
    await threeThreads()
    bench.write('hexagon.config.json', '{')

    const outcome = await bench.run(['doctor', '--json'])

    expect(outcome.code).toBe(1)
    expect(checksOf(outcome).filter(({ state }) => state === 'problem')).toMatchObject([
      { area: 'config', text: expect.stringContaining('hexagon.config.json') },
    ])
    expect(checksOf(outcome).some(({ text }) => text.includes('3 threads'))).toBe(true)
  })
})

describe('the machine', () => {
  test.each([
    ['20.18.9', 'problem'],
    ['20.19.0', 'ok'],
    ['24.1.0', 'ok'],
    ['18.20.0', 'problem'],
  ])('Node.js %s is: %s', (version, state) => {
    expect(checkNode(version)).toMatchObject({ state })
  })

  test.each([
    ['9.9.9', 'problem'],
    ['0.0.1', 'note'],
  ])('a second copy of the library, version %s, is: %s', (version, state) => {
    bench.write('node_modules/hexagon/package.json', JSON.stringify({ name: 'hexagon', version }))

    expect(checkLibrary(bench.folder)).toMatchObject({
      state,
      text: expect.stringContaining(`flows use ${version}`),
      hint: expect.stringContaining('npx hexagon'),
    })
  })
})

describe('delete', () => {
  test('E1308 removes the thread that the doctor can not restore, and no other', async () => {
    const folder = await threeThreads()
    writeFileSync(join(folder, 'threads/bbbb.json'), '{"half')
    rmSync(join(folder, 'threads/bbbb.log'), { force: true })
    const advice = await bench.run(['doctor'])
    expect(advice.stdout).toContain('hexagon delete bbbb')

    const prefix = await bench.run(['delete', 'bbb', '--yes'])
    const asked = await bench.run(['delete', 'bbbb'])
    const { code, stderr, stdout } = await bench.run(['delete', 'bbbb', '--yes', '--json'])

    expect([prefix.code, asked.code]).toEqual([66, 2])
    expect(stderr).toContain('Deleted bbbb')
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, deleted: ['bbbb'] })
    expect(code).toBe(0)
    const { stdout: left } = await bench.run(['threads', '--json'])
    expect(JSON.parse(left)).toMatchObject({ ok: true, threads: [{ id: 'cccc' }, { id: 'aaaa' }] })
  })
})

describe('doctor over SQLite', () => {
  const sqlite = ['--store', 'sqlite:threads.db']

  async function damaged(): Promise<void> {
    const path = join(bench.folder, 'threads.db')
    const store = sqliteStore(path)
    for (const id of ['aaaa', 'bbbb', 'cccc']) await askingThread(store, id, { ids: [`i_${id}`] })
    await store.close()
    const database = new Libsql(path)
    database.exec("update thread set status = 'lost' where id = 'bbbb'")
    database.exec("delete from question where thread = 'cccc'")
    database.close()
  }

  test('names every damaged thread, exit 1, and changes nothing', async () => {
    await damaged()

    const outcome = await bench.run(['doctor', '--json', ...sqlite])

    expect(outcome.code).toBe(1)
    const problems = checksOf(outcome).filter(({ state }) => state === 'problem')
    expect(problems.map(({ threadId, fixable }) => [threadId, fixable])).toEqual([
      ['bbbb', true],
      ['cccc', true],
    ])
    expect(checksOf(outcome).find(({ area }) => area === 'store')?.text).toContain('3 threads')
    const listed = await bench.run(['threads', '--json', ...sqlite])
    expect(listed.code).toBe(74)
    expect(JSON.parse(listed.stdout)).toMatchObject({
      threads: expect.arrayContaining([
        expect.objectContaining({ id: 'aaaa' }),
        expect.objectContaining({ id: 'cccc' }),
      ]),
      damaged: [{ threadId: 'bbbb' }],
    })
  })

  test('--fix puts them right, keeps a copy, and a second run finds nothing', async () => {
    await damaged()

    const first = await bench.run(['doctor', '--fix', ...sqlite])
    const second = await bench.run(['doctor', ...sqlite])

    expect([first.code, second.code]).toEqual([0, 0])
    expect(first.stdout).toContain('restored to version 2, nothing is lost')
    expect(second.stderr).toContain('All is well.')
    expect(readdirSync(bench.folder).filter((name) => name.endsWith('.kept'))).toHaveLength(1)
    const { stdout } = await bench.run(['pending', '--json', ...sqlite])
    expect(JSON.parse(stdout).threads).toHaveLength(3)
  })
})
