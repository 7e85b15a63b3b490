// What somebody wrote by hand into a store: whatever it is, an act on it succeeds or is refused by name, the other
// threads are unhurt, and nothing outside the folder is read or written.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { Layout } from '../../src/stores/file/layout.ts'
import { fileStore } from '../../src/stores/index.ts'
import { expectCleanPrototypes, forged, hostileRuns, hostileValues } from '../support/hostile.ts'
import { expectOthersUnhurt, fillStore, useAll } from './hostile-subject.ts'
import { tempFolder } from './temp-folder.ts'

/** Every file of a thread that holds JSON, and how its lines are. */
const PARTS = ['document', 'waiting', 'log', 'inbox', 'done', 'audit', 'manifest', 'lock'] as const
type Part = (typeof PARTS)[number]

function pathOf(layout: Layout, part: Part): string {
  const files = layout.filesOf(part === 'done' ? 'done' : 'b')
  return part === 'audit' || part === 'manifest' ? layout[part] : files[part]
}

interface Forgery {
  readonly part: Part
  readonly line: number
  readonly steps: readonly number[]
  readonly value: string | undefined
}

const forgery: fc.Arbitrary<Forgery> = fc.record({
  part: fc.constantFrom(...PARTS),
  line: fc.nat(5),
  steps: fc.array(fc.nat(20), { maxLength: 5 }),
  value: fc.option(fc.constantFrom(...hostileValues), { nil: undefined, freq: 8 }),
})

const LOCK = '{"pid":1,"host":"h","boot":"b","owner":"o","since":"2026-01-01T00:00:00.000Z"}'

/** Changes one file by hand; lines with a checksum get the right one. */
function forge(layout: Layout, { part, line, steps, value }: Forgery): void {
  const path = pathOf(layout, part)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : LOCK
  if (part !== 'log' && part !== 'inbox' && part !== 'audit') {
    writeFileSync(path, forged(text, steps, value))
    return
  }
  const lines = text.split('\n').slice(0, -1)
  const index = line % lines.length
  lines[index] = forgedLine(lines[index] ?? '', part, (json) => forged(json, steps, value))
  writeFileSync(path, `${lines.join('\n')}\n`)
}

function forgedLine(line: string, part: Part, change: (json: string) => string): string {
  if (part === 'audit') return change(line)
  const [, number = '', json = ''] = /^\w{8} (\d+) (.*)$/u.exec(line) ?? []
  return summed(`${number} ${change(json)}`)
}

function summed(payload: string): string {
  return `${crc32(payload).toString(16).padStart(8, '0')} ${payload}`
}

test('a file of a store that was changed by hand is refused by name or read, and hurts no other thread', async () => {
  const parent = tempFolder()
  const filled = fileStore(join(parent, 'template'))
  await fillStore(filled)
  await filled.close()
  await fc.assert(
    fc.asyncProperty(forgery, async (change) => {
      const root = join(parent, 'forged')
      rmSync(root, { recursive: true, force: true })
      cpSync(join(parent, 'template'), root, { recursive: true, preserveTimestamps: true })
      forge(new Layout(root), change)
      const store = fileStore(root)
      try {
        if (change.part === 'manifest') {
          await useAll(store, 'b')
        } else {
          await expectOthersUnhurt(store)
          await useAll(store, 'b')
          await useAll(store, 'done')
          await expectOthersUnhurt(fileStore(root))
        }
      } finally {
        await store.close()
      }
      expectCleanPrototypes()
      expect(readdirSync(parent).toSorted()).toEqual(['forged', 'template'])
    }),
    hostileRuns(80),
  )
})
