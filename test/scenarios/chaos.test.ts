import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

const chaos = resolve(import.meta.dirname, '../chaos/chaos.ts')
const loader = ['--import', 'tsx', '--conditions=hexagon:source']

const project = resolve(import.meta.dirname, '../..')

test.each(['file', 'sqlite'])(
  'processes killed at any instant lose no answer, and repeat no finished step and none that runs once: %s',
  async (store) => {
    const args = [`--store=${store}`, '--kills=25', '--seed=7', '--threads=3', '--processes=3']

    const { stdout } = await promisify(execFile)(process.execPath, [...loader, chaos, ...args], {
      cwd: project,
    })

    expect(stdout).toMatch(/^seed 7, \w+: \d+ kills, \d+ threads, 0 violations$/mu)
  },
  240_000,
)

test.each(['file', 'sqlite'])(
  'processes killed between a step and its receipt, and while a question is stored, lose and repeat nothing: %s',
  async (store) => {
    const args = [`--store=${store}`, '--matrix', '--only=commit of', '--seed=7', '--threads=1']

    const { stdout } = await promisify(execFile)(process.execPath, [...loader, chaos, ...args], {
      cwd: project,
    })

    for (const point of ['step intent', 'step receipt', 'superstep', 'question', 'answer']) {
      expect(stdout).toContain(`| before commit of ${point} | `)
      expect(stdout).toContain(`| after commit of ${point} | `)
    }
    expect(stdout).toMatch(/ kills, 0 violations$/mu)
  },
  240_000,
)
