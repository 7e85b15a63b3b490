import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const script = join(root, 'test/support/durability-process.ts')

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hexagon-durability-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function go(durability: string, what: 'run' | 'resume') {
  const loader = ['--import', 'tsx', '--conditions=hexagon:source']
  return spawnSync(process.execPath, [...loader, script, folder, durability, what], {
    cwd: root,
    encoding: 'utf8',
  })
}

/** How often each superstep had its effect, by what it counted. */
function effects(): number[] {
  const counts = Array.from({ length: 30 }, () => 0)
  for (const line of readFileSync(join(folder, 'effects'), 'utf8').trimEnd().split('\n'))
    counts[Number(line)] = (counts[Number(line)] ?? 0) + 1
  return counts
}

test.each([
  ['sync', 0, 0],
  ['async', 0, 20],
  ['exit', 20, 20],
] as const)(
  'a process killed between two supersteps goes on from what was saved, to the same end: %s',
  (durability, least, most) => {
    expect(go(durability, 'run').signal).toBe('SIGKILL')

    const resumed = go(durability, 'resume')

    expect(JSON.parse(resumed.stdout)).toEqual({ status: 'completed', n: 30 })
    const counts = effects()
    const again = counts.filter((times) => times === 2).length
    expect(again).toBeGreaterThanOrEqual(least)
    expect(again).toBeLessThanOrEqual(most)
    // What runs again is all that was not saved, in one piece up to the kill.
    expect(counts).toEqual(
      Array.from({ length: 30 }, (_, n) => (n >= 20 - again && n < 20 ? 2 : 1)),
    )
  },
)
