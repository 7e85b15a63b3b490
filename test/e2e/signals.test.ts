import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'
import { keys, Pty } from '../support/pty.ts'

let copy: PackageCopy
let project: Project
let pty: Pty | undefined

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/listen.ts': `
      import { flow, interruptForInput } from 'hexagon'
      const count = () => process.listenerCount('SIGINT')
      export default flow('listen', async () => {
        let heard = false
        process.on('SIGINT', () => { heard = true; console.log('the flow heard it') })
        const before = count()
        const name = await interruptForInput('Your name?')
        console.log('listeners ' + (count() - before))
        while (!heard) await new Promise((resolve) => setTimeout(resolve, 20))
        return name
      })`,
  })
})
afterEach(() => {
  pty?.close()
  project.remove()
})

describe('signals', () => {
  test('B73 a prompt leaves as many listeners as it found, and the flow hears its own', async () => {
    const terminal = new Pty({
      command: process.execPath,
      args: [copy.bin, 'run', 'listen'],
      cwd: project.folder,
    })
    pty = terminal
    await terminal.until('? Answer')
    await terminal.type('Ada')
    terminal.send(keys.enter)
    await terminal.until('listeners 0')
    terminal.kill('SIGINT')
    await terminal.until('the flow heard it')
    const { code } = await terminal.end()

    expect(code).toBe(0)
    expect(terminal.lines().at(-1)).toBe('Ada')
  })
})
