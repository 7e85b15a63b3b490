import { spawnSync } from 'node:child_process'
import {
  cpSync,
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { Inspection, type Inspected } from '../../src/stores/file/inspection.ts'
import { Layout, type ThreadFiles } from '../../src/stores/file/layout.ts'
import { fileStore } from '../../src/stores/index.ts'
import { processIdentity } from '../../src/system/process-identity.ts'
import {
  allPending,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
} from '../contracts/store-data.ts'
import { quickTempRoot, tempFolder } from './temp-folder.ts'

interface SetUp {
  readonly folder: string
  readonly layout: Layout
  readonly store: Store
  files(id: string): ThreadFiles
}

async function threeWaiting(): Promise<SetUp> {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  for (const id of ['a', 'b', 'c']) await askingThread(store, id, { ids: [`i_${id}`] })
  const layout = new Layout(folder)
  return { folder, layout, store, files: (id) => layout.filesOf(id) }
}

function inspect(folder: string): Promise<Inspected> {
  return new Inspection(folder).inspect()
}

/** Repairs what can be, and says what was done. */
async function repair(folder: string): Promise<string[]> {
  const inspection = new Inspection(folder)
  const { findings } = await inspection.inspect()
  const done: string[] = []
  for (const finding of findings) {
    if (finding.repair !== undefined) done.push(await finding.repair())
  }
  inspection.close()
  return done
}

async function problems(folder: string): Promise<[kind: string, file: string][]> {
  const { findings } = await inspect(folder)
  return findings
    .filter(({ weight }) => weight === 'problem')
    .map(({ kind, file }) => [kind, file.slice(folder.length + 1)])
}

/** Every file and its content, apart from the copies. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]))
}

function kept({ layout }: SetUp): string[] {
  return readdirSync(layout.damaged).map((name) => name.replace(/\.\d{4}-.*/u, ''))
}

/** Breaks the line of a record in a log. */
function breakRecord(path: string, number: number): void {
  const lines = readFileSync(path, 'utf8').split('\n')
  const index = lines.findIndex((line) => line.slice(9).startsWith(`${number} {"kind"`))
  lines[index] = (lines[index] ?? '').replace('"kind"', '"kinX"')
  writeFileSync(path, lines.join('\n'))
}

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

function lockText(parts: object): string {
  const owner = { owner: 'x', since: '2026-01-01T00:00:00.000Z', nonce: 'abcdefghijklmnop' }
  return JSON.stringify({ ...processIdentity(), ...owner, ...parts })
}

test('a store in which all is well has no findings', async () => {
  const { folder, store } = await threeWaiting()
  await store.create(newThread('over', { status: 'completed' }))
  const { fence } = await store.claim('a', claimant())

  const found = await inspect(folder)

  expect(found.threads).toBe(4)
  expect(found.findings).toMatchObject([{ kind: 'held', weight: 'note', threadId: 'a' }])
  await store.release('a', fence)
  expect((await inspect(folder)).findings).toEqual([])
  expect(existsSync(join(folder, 'damaged'))).toBe(false)
})

test('a folder that is not there has no findings', async () => {
  expect(await inspect(join(tempFolder(), 'none'))).toEqual({ threads: 0, findings: [] })
})

describe('E1308 a damaged document is restored from the log, and nothing is lost:', () => {
  test.each([
    ['zero bytes', ''],
    ['NULs', '\0'.repeat(500)],
    ['half of it', '{"format":1,"id":"b",'],
    ['an object without members', '{"format":1}'],
  ])('%s', async (_, content) => {
    const set = await threeWaiting()
    const { folder, store, files } = set
    const before = await store.load('b')
    writeFileSync(files('b').document, content)
    expect(await problems(folder)).toEqual([['damaged', 'threads/b.json']])

    const done = await repair(folder)

    expect(done).toEqual([expect.stringContaining('restored to version 2, nothing is lost')])
    expect(await store.load('b')).toEqual(before)
    expect(kept(set)).toContain('b.json')
    expect(await problems(folder)).toEqual([])
  })
})

describe('a damaged log', () => {
  test('goes back to the last record before the damage, which the thread says of itself', async () => {
    const set = await threeWaiting()
    const { folder, store, files } = set
    const { fence } = await store.claim('b', claimant())
    await store.commit({ ...edit('b', 2, { status: 'running', puts: [['k', '1']] }), fence })
    await store.commit({ ...edit('b', 3, { status: 'running', puts: [['k', '2']] }), fence })
    await store.commit({ ...edit('b', 4, { puts: [['k', '3']], release: true }), fence })
    breakRecord(files('b').log, 5)
    rmSync(files('b').document)

    const done = await repair(folder)

    expect(done).toEqual([expect.stringMatching(/version 3; what came after it is in doubt/u)])
    const loaded = await fileStore(folder).load('b')
    expect(loaded?.records.get('k')).toBe('1')
    // Version 5 was seen: no later state has that number.
    expect(loaded?.head).toMatchObject({ version: 7, status: 'running' })
    expect(JSON.parse(loaded?.head.meta ?? '')).toMatchObject({
      inDoubt: { afterVersion: 3, kept: [expect.stringMatching(/^damaged\/b\.log\./u)] },
    })
    expect(await problems(folder)).toEqual([])
    expect((await store.history('b')).map(({ label }) => label)).toContain('restored')
    const next = await store.claim('b', claimant())
    await store.commit({ ...edit('b', 7, { release: true }), fence: next.fence })
  })

  test('is no loss while the document reaches behind the damage', async () => {
    const { folder, store, files } = await threeWaiting()
    const before = await store.load('b')
    breakRecord(files('b').log, 1)

    const done = await repair(folder)

    expect(done).toEqual([expect.stringContaining('nothing is lost')])
    expect(await store.load('b')).toEqual(before)
    expect(await problems(folder)).toEqual([])
  })

  test.each([
    ['zero bytes', ''],
    ['NULs', '\0'.repeat(400)],
    ['another text', 'nothing of a log\n'],
  ])('of %s goes back to the document, in doubt', async (_, content) => {
    const { folder, store, files } = await threeWaiting()
    writeFileSync(files('b').log, content)
    expect(await problems(folder)).toEqual([['damaged', 'threads/b.log']])

    expect(await repair(folder)).toEqual([expect.stringContaining('in doubt')])

    const loaded = await store.load('b')
    expect(loaded?.interrupts).toMatchObject([{ id: 'i_b', status: 'open' }])
    expect(loaded?.head.meta).toContain('inDoubt')
    expect(await problems(folder)).toEqual([])
    expect((await allPending(store)).map(({ head }) => head.id)).toEqual(['a', 'b', 'c'])
  })

  test('that is shorter than the document, or missing, goes back to the document', async () => {
    const { folder, store, files } = await threeWaiting()
    truncateSync(files('b').log, readFileSync(files('b').log).indexOf('\n') + 1)
    rmSync(files('c').log)

    const done = await repair(folder)

    expect(done).toHaveLength(2)
    expect((await store.load('b'))?.head.meta).toContain('inDoubt')
    expect((await store.load('c'))?.head.meta).toContain('inDoubt')
    expect(await problems(folder)).toEqual([])
  })

  test('without its document goes back to what history has', async () => {
    const { folder, store, files } = await threeWaiting()
    const { fence } = await store.claim('b', claimant())
    const large = [['large', JSON.stringify('x'.repeat(1_100_000))]] as const
    await store.commit({ ...edit('b', 2, { status: 'running', puts: large }), fence })
    await store.commit({ ...edit('b', 3, { puts: [['k', '1']], release: true }), fence })
    const before = await store.load('b')
    expect(readdirSync(files('b').history).length).toBeGreaterThan(0)
    rmSync(files('b').document)
    expect(await problems(folder)).toEqual([['damaged', 'threads/b.log']])

    expect(await repair(folder)).toEqual([expect.stringContaining('nothing is lost')])

    expect((await store.load('b'))?.records).toEqual(before?.records)
    expect(await problems(folder)).toEqual([])
  })

  test('whose end was never finished is cut, and nothing is in doubt', async () => {
    const set = await threeWaiting()
    const { folder, store, files } = set
    const before = readFileSync(files('b').log)
    appendFileSync(files('b').log, '0badc0de 3 {"kind":"commit","ver')
    expect(await problems(folder)).toContainEqual(['torn', 'threads/b.log'])

    await repair(folder)

    expect(readFileSync(files('b').log)).toEqual(before)
    expect((await store.load('b'))?.head).toMatchObject({ version: 2, meta: '{}' })
    expect(kept(set)).toEqual(['b.log'])
  })
})

/** A thread of some versions, and what it was at each. */
async function longThread(): Promise<{ folder: string; versions: string[] }> {
  const folder = mkdtempSync(join(quickTempRoot(), 'hexagon-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = fileStore(join(folder, 'base'))
  const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
  const versions = [await recordsOf(store)]
  for (let version = 1; version < 5; version++) {
    const puts = [['k', JSON.stringify(`value ${version}`)]] as const
    await store.commit({ ...edit('t', version, { status: 'running', puts }), fence })
    versions.push(await recordsOf(store))
  }
  await store.commit({ ...edit('t', 5, { release: true }), fence })
  versions.push(await recordsOf(store))
  await store.close()
  return { folder, versions }
}

async function recordsOf(store: Store): Promise<string> {
  return JSON.stringify([...((await store.load('t'))?.records ?? [])])
}

test('wherever a log is broken, what is restored is a version that was, and in doubt unless it is the last', async () => {
  const { folder, versions } = await longThread()
  const bytes = readFileSync(join(folder, 'base/threads/t.log'))
  const positions = Array.from({ length: Math.floor(bytes.length / 13) }, (_, index) => index * 13)
  const ends = []
  for (const at of positions) {
    const copy = join(folder, `at-${at}`)
    cpSync(join(folder, 'base'), copy, { recursive: true, preserveTimestamps: true })
    rmSync(join(copy, 'threads/t.json'))
    const broken = Buffer.from(bytes)
    broken[at] = (broken[at] ?? 0) ^ 1
    writeFileSync(join(copy, 'threads/t.log'), broken)
    ends.push(await endOfRepair(copy, versions))
    rmSync(copy, { recursive: true })
  }

  expect(ends.filter((end) => !/^(?:hopeless|whole|in doubt)$/u.test(end))).toEqual([])
  // Without the record of its creation nothing is left of a thread.
  const first = positions.filter((at) => at < bytes.indexOf('\n', bytes.indexOf('"create"')))
  expect(ends.filter((end) => end === 'hopeless').length).toBeLessThanOrEqual(first.length)
  expect(ends.filter((end) => end === 'in doubt').length).toBeGreaterThan(20)
})

/** Repairs a thread without a document, and says what became of it. */
async function endOfRepair(folder: string, versions: readonly string[]): Promise<string> {
  const done = await repair(folder)
  if (done.length === 0) return 'hopeless'
  const store = fileStore(folder)
  const { head } = (await store.load('t')) ?? {}
  if (head === undefined || !versions.includes(await recordsOf(store))) return 'never was'
  const left = await problems(folder)
  if (left.length > 0) return `still wrong: ${left.join()}`
  const isMarked = head.meta.includes('inDoubt') && head.version > 6
  const isWhole = !done.some((text) => text.includes('in doubt')) && head.version === 6
  if (isMarked === isWhole) return `version ${head.version}, ${head.meta}`
  return isWhole ? 'whole' : 'in doubt'
}

test('a repair that is cut off anywhere is finished by the next one', async () => {
  const { folder, versions } = await longThread()
  breakRecord(join(folder, 'base/threads/t.log'), 5)
  writeFileSync(join(folder, 'base/threads/t.json'), '')
  let isCutOff = true
  let cut = 0
  for (; isCutOff; cut++) {
    const copy = join(folder, `cut-${cut}`)
    cpSync(join(folder, 'base'), copy, { recursive: true })
    let points = 0
    const onFaultPoint = (): void => {
      if (points++ === cut) throw new Error('cut off')
    }
    const { findings } = await new Inspection(copy, { onFaultPoint }).inspect()
    const repairs = findings.flatMap((finding) => (finding.repair ? [finding.repair()] : []))
    isCutOff = await Promise.all(repairs).then(
      () => false,
      () => true,
    )
    rmSync(join(copy, 'tmp'), { recursive: true })
    for (const name of ['t.lock', 't.mutex']) rmSync(join(copy, 'threads', name), { force: true })

    await repair(copy)

    const store = fileStore(copy)
    expect(await recordsOf(store)).toBe(versions[3])
    expect((await store.load('t'))?.head.meta).toContain('inDoubt')
    expect(await problems(copy)).toEqual([])
  }
  expect(cut).toBeGreaterThan(10)
})

test('damaged history is mended: documents are made again, logs keep their beginning', async () => {
  const { folder, store, files } = await threeWaiting()
  const { fence } = await store.claim('b', claimant())
  const large = [['large', JSON.stringify('x'.repeat(1_100_000))]] as const
  await store.commit({ ...edit('b', 2, { status: 'running', puts: large }), fence })
  await store.commit({ ...edit('b', 3, { release: true }), fence })
  const history = readdirSync(files('b').history)
  const document = join(files('b').history, history.find((name) => name.endsWith('.json')) ?? '')
  const text = readFileSync(document, 'utf8')
  rmSync(document)
  writeFileSync(document, '')
  expect(await problems(folder)).toEqual([['damaged', document.slice(folder.length + 1)]])

  await repair(folder)

  expect(readFileSync(document, 'utf8')).toBe(text)
  const log = join(files('b').history, history.find((name) => name.endsWith('.log')) ?? '')
  breakRecord(log, 2)
  await expect(store.history('b')).rejects.toMatchObject({ code: 'E1308' })

  await repair(folder)

  expect((await store.history('b')).map(({ version }) => version)).toEqual([4, 1])
  expect(await problems(folder)).toEqual([])
})

test('a thread that has ended is restored to its place', async () => {
  const { folder, store, files } = await threeWaiting()
  const { fence } = await store.claim('b', claimant())
  await store.commit({ ...edit('b', 2, { status: 'completed', release: true }), fence })
  const before = await store.load('b')
  writeFileSync(files('b').done, '{')
  expect(await problems(folder)).toEqual([['damaged', 'done/b.json']])

  await repair(folder)

  expect(await store.load('b')).toEqual(before)
  expect(existsSync(files('b').document)).toBe(false)
  expect(await problems(folder)).toEqual([])
})

test('of a damaged inbox the whole answers stay, and the thread is in doubt', async () => {
  const { folder, store, files } = await threeWaiting()
  await askingThread(store, 'd', { ids: ['i_1', 'i_2'], wake: 'all' })
  await store.answer(answers('d', { i_1: '1' }))
  await store.answer(answers('d', { i_2: '2' }))
  const lines = readFileSync(files('d').inbox, 'utf8')
  writeFileSync(files('d').inbox, lines.replace('"i_1"', '"i_X"'))
  expect(await problems(folder)).toEqual([['damaged', 'threads/d.inbox']])

  await repair(folder)

  const loaded = await store.load('d')
  expect(loaded?.interrupts.map(({ status }) => status)).toEqual(['open', 'answered'])
  expect(loaded?.head.meta).toContain('inDoubt')
  expect(await problems(folder)).toEqual([])
})

test('what a newer hexagon wrote is named and left alone', async () => {
  const { folder, files } = await threeWaiting()
  const { document } = files('b')
  writeFileSync(document, readFileSync(document, 'utf8').replace('"format": 1', '"format": 2'))
  rmSync(files('c').document)
  writeFileSync(files('c').document, '')
  const { findings } = await inspect(folder)
  expect(findings.find(({ kind }) => kind === 'newer')).toMatchObject({
    file: document,
    problem: 'was written by a newer hexagon (format 2)',
    hint: 'Use that version.',
  })
  const before = readFileSync(document, 'utf8')

  expect(await repair(folder)).toHaveLength(1)

  expect(readFileSync(document, 'utf8')).toBe(before)
  writeFileSync(join(folder, 'store.json'), '{"format":3}')
  expect(await problems(folder)).toEqual([['newer', 'store.json']])
})

test('a thread of which nothing good is left stays where it is, and is named', async () => {
  const { folder, files } = await threeWaiting()
  writeFileSync(files('b').document, '')
  writeFileSync(files('b').log, '')
  const before = contents(folder)
  const { findings } = await inspect(folder)
  expect(findings).toMatchObject([
    { kind: 'damaged', threadId: 'b', hint: expect.stringContaining('hexagon delete b') },
    { kind: 'damaged', threadId: 'b' },
  ])

  expect(await repair(folder)).toEqual([])

  expect(contents(folder)).toEqual(before)
})

test('a thread that a live process holds is never touched', async () => {
  const { folder, store, files } = await threeWaiting()
  const { fence } = await store.claim('b', claimant())
  writeFileSync(files('b').document, '')

  await expect(repair(folder)).rejects.toMatchObject({ code: 'E1306' })

  expect(readFileSync(files('b').document, 'utf8')).toBe('')
  await store.release('b', fence)
})

test('a file that was copied to another name is named', async () => {
  const { folder, files } = await threeWaiting()
  writeFileSync(files('d').document, readFileSync(files('a').document))

  expect((await inspect(folder)).findings).toMatchObject([
    { kind: 'foreign', file: files('d').document, problem: /belongs to thread "a"/u },
  ])
})

test('locks of ended processes go, those of others and of other hosts stay', async () => {
  const { folder, layout, files, store } = await threeWaiting()
  const { fence } = await store.claim('c', claimant())
  const dead = lockText({ pid: deadPid() })
  writeFileSync(files('a').lock, dead)
  writeFileSync(files('a').mutex, dead)
  writeFileSync(`${files('a').lock}.ponmlkjihgfedcba`, dead)
  writeFileSync(files('b').lock, lockText({ host: 'elsewhere' }))
  const { findings } = await inspect(folder)
  expect(findings.map(({ kind, weight }) => `${kind} ${weight}`).toSorted()).toEqual([
    'held note',
    'held note',
    'stale-lock problem',
    'stale-lock problem',
    'stale-lock problem',
  ])
  expect(findings).toContainEqual(
    expect.objectContaining({ hint: expect.stringContaining('hexagon resume b --steal-lock') }),
  )

  await repair(folder)

  const left = readdirSync(layout.threads).filter((name) => /lock|mutex/u.test(name))
  expect(left).toEqual(['b.lock', 'c.lock'])
  await store.release('c', fence)
})

test('left-over files go, descriptors are written anew, what is no file of ours stays', async () => {
  const set = await threeWaiting()
  const { folder, layout, files, store } = set
  const [place] = readdirSync(layout.temp).map((name) => name.split('.').at(-3)?.split('-')[0])
  const temp = join(layout.temp, `a.json.${place ?? 'elsewhere'}-${deadPid()}.abcdefgh.tmp`)
  writeFileSync(temp, '{')
  if (place === undefined) utimesSync(temp, 0, 0)
  rmSync(files('a').waiting)
  writeFileSync(files('b').waiting, '')
  writeFileSync(join(layout.waiting, 'phantom.json'), readFileSync(files('c').waiting))
  writeFileSync(join(layout.threads, 'gone.inbox'), '')
  mkdirSync(join(layout.history, 'gone'))
  writeFileSync(join(layout.threads, 'notes.txt'), 'mine')
  expect(await problems(folder)).toEqual([
    ['descriptor', 'waiting/a.json'],
    ['descriptor', 'waiting/b.json'],
    ['orphan', 'threads/gone.inbox'],
    ['phantom', 'waiting/phantom.json'],
    ['orphan', 'history/gone'],
    ['temp', temp.slice(folder.length + 1)],
  ])

  await repair(folder)

  const { findings } = await inspect(folder)
  expect(findings).toMatchObject([{ kind: 'foreign', weight: 'note' }])
  expect(existsSync(files('a').waiting)).toBe(true)
  expect((await allPending(store)).map(({ head }) => head.id)).toEqual(['a', 'b', 'c'])
  expect(kept(set).toSorted()).toEqual(['gone.inbox', 'history.gone'])
})

test('a second repair changes nothing more', async () => {
  const { folder, files } = await threeWaiting()
  writeFileSync(files('a').document, '')
  writeFileSync(files('b').log, '')
  writeFileSync(files('c').log, 'x\n')
  rmSync(files('c').waiting)
  writeFileSync(join(folder, 'store.json'), '')
  await repair(folder)
  const after = contents(folder)

  expect(await repair(folder)).toEqual([])

  expect(contents(folder)).toEqual(after)
})

test('the folder itself is looked at: link, permissions, format file', async () => {
  const { folder } = await threeWaiting()
  const link = join(tempFolder(), 'link')
  symlinkSync(folder, link)
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'store.json'), 'x')
  expect((await inspect(link)).findings).toMatchObject([
    { kind: 'folder', weight: 'note', problem: `is a symbolic link to ${folder}` },
    { kind: 'folder', weight: 'problem', problem: expect.stringContaining('(755)') },
    { kind: 'damaged', weight: 'problem' },
  ])

  await repair(link)

  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect((await inspect(folder)).findings).toEqual([])
})

test('a blob that changed is named, and stays', async () => {
  const { folder, store } = await threeWaiting()
  const hash = await store.putBlob(Buffer.from('bytes'))
  writeFileSync(join(folder, 'blobs', hash.slice(0, 2), hash), 'other')

  expect((await inspect(folder)).findings).toMatchObject([
    { kind: 'damaged', problem: 'is not what its name says', hint: /no second copy/u },
  ])
})
