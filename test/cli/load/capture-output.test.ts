/* oxlint-disable no-console -- the console is what is tested */

import { rm } from 'node:fs/promises'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { captureOutput, type OutputStream } from '../../../src/cli/load/capture-output.ts'
import { installCommand, scratch, writeFiles, type Command } from './support/command.ts'

describe('captureOutput', () => {
  let taken: [OutputStream, string][]

  /** What is taken while `body` runs. */
  function during(body: () => void): [OutputStream, string][] {
    taken = []
    const capture = captureOutput((stream, text) => taken.push([stream, text]))
    try {
      body()
    } finally {
      capture.restore()
    }
    return taken
  }

  test('takes what the console prints, by stream', () => {
    expect(
      during(() => {
        console.log('a', { b: 1 })
        console.info('%s', 'c')
        console.error('d')
        console.warn('e')
      }),
    ).toEqual([
      ['stdout', 'a { b: 1 }\n'],
      ['stdout', 'c\n'],
      ['stderr', 'd\n'],
      ['stderr', 'e\n'],
    ])
  })

  test('takes what is written straight to standard output', () => {
    const done: string[] = []
    expect(
      during(() => {
        expect(process.stdout.write('text')).toBe(true)
        process.stdout.write('aGV4', 'base64', () => done.push('called'))
      }),
    ).toEqual([
      ['stdout', 'text'],
      ['stdout', 'hex'],
    ])
  })

  test('keeps a character whole that comes in two pieces', () => {
    const [first, second] = [Buffer.from('流').subarray(0, 2), Buffer.from('流').subarray(2)]

    expect(
      during(() => {
        process.stdout.write(first)
        process.stdout.write(second)
      })
        .map(([, text]) => text)
        .join(''),
    ).toBe('流')
  })

  test('gives everything back', () => {
    const before = [globalThis.console, process.stdout.write, Object.keys(process.stdout)]
    during(() => undefined)

    expect([globalThis.console, process.stdout.write, Object.keys(process.stdout)]).toEqual(before)
  })

  test('may be nested', () => {
    const inner: string[] = []
    const outer = during(() => {
      const capture = captureOutput((_stream, text) => inner.push(text))
      console.log('inside')
      capture.restore()
      console.log('outside')
    })

    expect(inner).toEqual(['inside\n'])
    expect(outer).toEqual([['stdout', 'outside\n']])
  })
})

describe('what a flow prints', () => {
  let command: Command
  let root: string

  beforeAll(async () => {
    command = await installCommand()
  })

  afterAll(() => command.remove())

  beforeEach(async () => {
    root = await scratch()
  })

  afterEach(() => rm(root, { recursive: true, force: true }))

  test.each(['f.ts', 'f.cts', 'f.mjs'])(
    'O17 never reaches standard output, from %s',
    async (name) => {
      await writeFiles(root, {
        [`flows/${name}`]: `console.log('loading')
        process.stdout.write('raw')
        export default () => { console.log('running'); process.stdout.write('ran') }`,
      })
      const { stdout, stderr, result } = await command.load(root, 'f', { input: 0 })

      expect(stdout.trimEnd().split('\n')).toHaveLength(1)
      expect(stderr).toBe('')
      expect(result['printed']).toEqual([
        ['stdout', 'loading\n'],
        ['stdout', 'raw'],
        ['stdout', 'running\n'],
        ['stdout', 'ran'],
      ])
    },
  )
})
