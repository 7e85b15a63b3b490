import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

const chaos = resolve(import.meta.dirname, '../chaos/chaos.ts')
const loader = ['--import', 'tsx', '--conditions=hexagon:source']

test('processes killed at any instant lose no answer and repeat no finished step', async () => {
  const args = ['--kills=25', '--seed=7', '--threads=3', '--processes=3']

  const { stdout } = await promisify(execFile)(process.execPath, [...loader, chaos, ...args], {
    cwd: resolve(import.meta.dirname, '../..'),
  })

  expect(stdout).toMatch(/^seed 7: \d+ kills, \d+ threads, 0 violations\n$/u)
}, 240_000)
