import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'esbuild'
import { expect, test } from 'vitest'

import type { FaultPoint } from '../../src/stores/file/disk.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, askingThread, claimant, edit, newThread } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

/** The effects of an act, in order. */
async function effectsOf(
  prepare: (folder: string) => Promise<void>,
  act: (store: ReturnType<typeof fileStore>) => Promise<unknown>,
): Promise<FaultPoint[]> {
  const folder = join(tempFolder(), '.hexagon')
  await prepare(folder)
  const points: FaultPoint[] = []
  const store = fileStore(folder, { onFaultPoint: (point) => void points.push(point) })
  await store.init()
  points.length = 0
  await act(store)
  await store.close()
  return points.filter((point) => !point.startsWith('lease:'))
}

const nothing = async (): Promise<void> => undefined

test('a commit while the thread runs is one write and one sync', async () => {
  const points = await effectsOf(nothing, async (store) => {
    const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
    for (let version = 1; version < 4; version++) {
      await store.commit({ ...edit('t', version, { status: 'running' }), fence })
    }
  })

  const commit = ['log:write', 'log:written', 'log:synced']
  const create = ['temp:write', 'temp:written', 'temp:synced', 'folder:sync', 'folder:synced']
  expect(points.slice(0, 14)).toEqual([...create, ...commit, ...commit, ...commit])
})

test('commits made at the same moment share one sync', async () => {
  const points = await effectsOf(nothing, async (store) => {
    const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
    await Promise.all(
      [1, 2, 3, 4, 5].map((version) =>
        store.commit({ ...edit('t', version, { status: 'running' }), fence }),
      ),
    )
  })

  expect(
    points.slice(0, points.lastIndexOf('log:synced')).filter((point) => point === 'log:synced'),
  ).toEqual([])
  expect(points.filter((point) => point === 'log:written').length).toBeGreaterThanOrEqual(5)
})

test('B55 a document is synced before it takes its name, and the folder after', async () => {
  const points = await effectsOf(
    (folder) => askingThread(fileStore(folder), 't', { ids: ['i_a'] }),
    (store) => store.commit(edit('t', 2)),
  )

  expect(points).toEqual([
    'log:write',
    'log:written',
    'log:synced',
    'temp:write',
    'temp:written',
    'temp:synced',
    'document:place',
    'document:placed',
    'folder:sync',
    'folder:synced',
  ])
})

test('an answer is durable, with its name, after its line in the audit log and before its giver is told', async () => {
  const points = await effectsOf(
    (folder) => askingThread(fileStore(folder), 't', { ids: ['i_a', 'i_b'] }),
    async (store) => {
      await store.answer(answers('t', { i_a: '1' }))
      await store.answer(answers('t', { i_b: '1' }))
    },
  )

  const line = ['audit:write', 'audit:written', 'audit:synced']
  const answer = ['inbox:write', 'inbox:written', 'inbox:synced']
  const name = ['folder:sync', 'folder:synced']
  expect(points).toEqual([...line, ...name, ...answer, ...name, ...line, ...answer])
})

/** Where the machine can't trace, the fault points above have to do. */
const tracers = spawnSync('strace', ['-V']).status === 0 ? ['strace'] : []

test.each(tracers)(
  'B55 %s says the same: no file takes its name before it is synced',
  async (tracer) => {
    const parent = tempFolder()
    const script = join(parent, 'kill-scenario.mjs')
    await build({
      entryPoints: [join(import.meta.dirname, 'kill-scenario.ts')],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    })
    const trace = join(parent, 'trace')
    const calls = 'trace=openat,close,fsync,fdatasync,rename,link'
    const scenario = [process.execPath, script, 'file', join(parent, 'store'), '0']
    execFileSync(tracer, ['-f', '-o', trace, '-e', calls, ...scenario])

    const { renames, unsynced } = renamesIn(
      readFileSync(trace, 'utf8'),
      join(parent, 'store', 'tmp'),
    )

    expect(renames).toBeGreaterThan(3)
    expect(unsynced).toEqual([])
  },
)

/** Follows file descriptors to see which files were synced when they got their name. */
function renamesIn(trace: string, from: string): { renames: number; unsynced: string[] } {
  const paths = new Map<string, string>()
  const synced = new Set<string | undefined>()
  const unsynced: string[] = []
  let renames = 0
  const see = {
    openat: (line: string): void => {
      const [, path = '', fd = ''] = /"([^"]+)".*= (\d+)$/.exec(line) ?? []
      paths.set(fd, path)
    },
    sync: (line: string): void => {
      const [, fd = ''] = /sync\((\d+)/.exec(line) ?? []
      synced.add(paths.get(fd))
    },
    rename: (line: string): void => {
      const [, path = '', to = ''] = /"([^"]+)", "([^"]+)"/.exec(line) ?? []
      if (!path.startsWith(from)) return
      renames++
      if (!synced.has(path)) unsynced.push(to)
    },
  }
  for (const line of trace.split('\n')) {
    for (const [call, look] of Object.entries(see)) if (line.includes(`${call}(`)) look(line)
  }
  return { renames, unsynced }
}
