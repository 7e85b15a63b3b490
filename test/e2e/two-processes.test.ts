import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

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
    'flows/both.ts': `
      import { existsSync } from 'node:fs'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { END, START, graph, interruptForApproval } from 'hexagon'
      export default graph('both', { state: { ok: false, slow: 0 } })
        .node('ask', async () => ({ ok: await interruptForApproval('Go on?') }))
        .node('slow', async (s) => {
          console.log('slow runs')
          while (!existsSync('go')) await sleep(20)
          return { slow: s.slow + 1 }
        })
        .edge(START, 'ask').edge(START, 'slow').edge('ask', END).edge('slow', END)`,
  })
})
afterEach(() => project.remove())

test('B10 a thread that is being run is refused to a second process, which can store the answer', async () => {
  const first = project.start(['run', 'both', '--thread', 'shared', '--json'])
  await first.until('slow runs')

  const refused = await project.json(['resume', 'shared', '--approve'])
  const stored = await project.json(['resume', 'shared', '--approve', '--no-run'])
  project.write('go', '')
  const { code, stdout, stderr } = await first.end

  expect(refused.code).toBe(69)
  expect(refused.document.error.code).toBe('E1306')
  expect(stored.code).toBe(0)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', result: { ok: true, slow: 1 } })
  expect(stderr.match(/slow runs/gu)).toHaveLength(1)
})

test('pending tells which process runs a thread, and wait waits for it', async () => {
  const first = project.start(['run', 'both', '--thread', 'shared'])
  await first.until('slow runs')
  const { stdout } = await project.run(['pending'])
  const waiting = project.start(['wait', 'shared', '--json'])
  await project.run(['resume', 'shared', '--reject', '--no-run'])
  project.write('go', '')

  const { code } = await waiting.end
  await first.end

  expect(stdout).toContain(`running (pid ${first.process.pid})`)
  expect(code).toBe(0)
})

test('a process that is killed leaves a thread that shows as crashed and goes on without an answer', async () => {
  const first = project.start(['run', 'both', '--thread', 'shared', '--yes'])
  await first.until('slow runs')
  first.process.kill('SIGKILL')
  await first.end

  const shown = await project.json(['threads'])
  project.write('go', '')
  const { code, document } = await project.json(['resume', 'shared', '--yes'])

  expect(shown.document.threads.map(({ status }) => status)).toEqual(['crashed'])
  expect(code).toBe(0)
  expect(document.result).toEqual({ ok: true, slow: 1 })
})

test('wait gives up after its timeout with 124', async () => {
  await project.run(['run', 'both', '--thread', 'shared', '--timeout', '1s'])
  const { code, document } = await project.json(['wait', 'shared', '--timeout', '300ms'])
  expect(code).toBe(124)
  expect(document.error.code).toBe('E1407')
})
