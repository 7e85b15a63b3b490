import { existsSync, readFileSync } from 'node:fs'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'
import { keys, Pty } from '../support/pty.ts'

let copy: PackageCopy
let project: Project
let pty: Pty

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/deploy.ts': `
      import { END, START, graph, interruptForApproval } from 'hexagon'
      export default graph('deploy', { state: { ok: false } })
        .node('build', async () => { console.log('building'); return {} })
        .node('review', async () => ({ ok: await interruptForApproval('Deploy build 4821?') }))
        .edge(START, 'build').edge('build', 'review').edge('review', END)`,
  })
})
afterEach(() => {
  pty.close()
  project.remove()
})

/** Runs a line of a shell on a pseudo terminal; \`hexagon\` in it is the command. */
function type(line: string): Pty {
  const command = `${process.execPath} ${copy.bin}`
  pty = new Pty({
    command: '/bin/bash',
    args: ['--norc', '-c', line.replaceAll('hexagon', command)],
    cwd: project.folder,
  })
  return pty
}

async function waiting(): Promise<readonly string[]> {
  const { document } = await project.json(['pending'])
  return document.threads.flatMap(({ interrupts }) => interrupts.map(({ message }) => message))
}

describe('at a real terminal', () => {
  test('O23 the prompt is on the terminal and a redirected stdout is pure JSON', async () => {
    const terminal = type('hexagon run deploy --json > out.json')
    await terminal.until('Your decision')
    terminal.send('a')
    await terminal.until('❯ Approve')
    terminal.send(keys.enter)

    const { code } = await terminal.end()

    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(project.path('out.json'), 'utf8'))).toMatchObject({
      status: 'completed',
      result: { ok: true },
    })
    expect(terminal.text()).toContain('│ building')
  })

  test('Enter alone decides nothing: it is saved for later', async () => {
    const terminal = type('hexagon run deploy')
    await terminal.until('Your decision')
    terminal.send(keys.enter)
    const { code } = await terminal.end()
    expect(code).toBe(75)
    expect(terminal.text()).toContain('Saved. Waiting for an approval at node:review.')
    expect(await waiting()).toEqual(['Deploy build 4821?'])
  })

  test.each([
    ['Ctrl+C', 130, (terminal: Pty) => terminal.send(keys.ctrlC)],
    ['Ctrl+D', 75, (terminal: Pty) => terminal.send(keys.ctrlD)],
    ['Esc', 75, (terminal: Pty) => terminal.send(keys.escape)],
    ['SIGTERM', 143, (terminal: Pty) => terminal.kill('SIGTERM')],
    ['SIGHUP', 129, (terminal: Pty) => terminal.kill('SIGHUP')],
  ] as const)(
    'B68 %s at a prompt exits %i, the question stays open, the cursor is shown',
    async (_name, expected, leave) => {
      const terminal = type('exec hexagon run deploy')
      await terminal.until('Your decision')
      leave(terminal)

      const { code } = await terminal.end()

      expect(code).toBe(expected)
      expect(terminal.cursorVisible).toBe(true)
      expect(await waiting()).toEqual(['Deploy build 4821?'])
    },
  )

  test('resume asks what is open and goes on', async () => {
    const { document } = await project.json(['run', 'deploy'])
    const terminal = type(`hexagon resume ${document.thread.id.slice(0, 6)}`)
    await terminal.until('Your decision')
    terminal.send('r')
    await terminal.until('❯ Reject')
    terminal.send(keys.enter)
    const { code } = await terminal.end()
    expect(code).toBe(0)
    expect(terminal.text()).toContain('"ok": false')
  })

  test('an answer that the flow refuses is asked for again, also in another process', async () => {
    project.write(
      'flows/version.ts',
      `import { flow, interruptForInput } from 'hexagon'
       const validate = (text) => /^\\d+\\.\\d+$/.test(text) || 'must be like 1.2'
       export default flow('version', async () => interruptForInput('Which version?', { validate }))`,
    )
    const { document } = await project.json(['run', 'version'])
    const terminal = type(`hexagon resume ${document.thread.id}`)
    await terminal.until('? Answer')
    await terminal.type('next')
    terminal.send(keys.enter)
    await terminal.until(/must be like 1\.2[\s\S]*\? Answer/u)
    const refused = terminal.text()
    await terminal.type('1.4')
    terminal.send(keys.enter)
    const { code } = await terminal.end()

    expect(code).toBe(0)
    expect(refused).not.toContain('Answered')
    expect(terminal.text()).toContain('✔ Answered  node:version: 1.4')
    expect(terminal.lines().at(-1)).toBe('1.4')
  })

  test('Ctrl+C while nothing works stops nothing, and a node is said to wait once', async () => {
    project.write(
      'flows/both.ts',
      `import { flow, interruptForInput } from 'hexagon'
       const ask = (key) => interruptForInput(key + '?', { key })
       export default flow('both', async () => Promise.all([ask('first'), ask('second')]))`,
    )
    const terminal = type('hexagon run both')
    await terminal.until('Answer now')
    terminal.send(keys.enter)
    await terminal.until(/1 of 2[\s\S]*\? Answer/u)
    await terminal.type('one')
    terminal.send(keys.enter)
    await terminal.until(/2 of 2[\s\S]*\? Answer/u)
    terminal.send(keys.ctrlC)
    const { code } = await terminal.end()

    expect(code).toBe(130)
    expect(terminal.text()).not.toContain('Stopping')
    expect(terminal.text().match(/waiting for you/gu)).toHaveLength(1)
  })

  test('pending is a table that fits, with short ids', async () => {
    const { document } = await project.json(['run', 'deploy'])
    const terminal = type('hexagon pending')
    await terminal.end()
    expect(terminal.text()).toMatch(/^ID +FLOW +QUESTION +WHERE +AGE/mu)
    expect(terminal.text()).toContain(document.thread.id.slice(0, 4))
    expect(terminal.text()).not.toContain(document.thread.id)
    expect(terminal.lines().every((line) => line.length <= 80)).toBe(true)
  })

  test('an --ephemeral run asks and keeps nothing', async () => {
    const terminal = type('hexagon run deploy --ephemeral')
    await terminal.until('Your decision')
    terminal.send('a')
    await terminal.until('❯ Approve')
    terminal.send(keys.enter)
    const { code } = await terminal.end()
    expect(code).toBe(0)
    expect(existsSync(project.path('.hexagon'))).toBe(false)
  })
})
