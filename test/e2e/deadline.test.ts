import { afterAll, beforeAll, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'
import { Pty } from '../support/pty.ts'

let copy: PackageCopy
let project: Project

beforeAll(() => {
  copy = copyPackage()
  project = new Project(copy.bin, {
    'flows/name.ts': `
      import { flow, interruptForInput } from 'hexagon'
      export default flow('name', async () => interruptForInput('Name?', { timeout: 1500, default: 'nobody' }))`,
    'flows/plain.ts': `
      import { flow, interruptForApproval, InterruptTimeoutError } from 'hexagon'
      export default flow('plain', async () => {
        try {
          return await interruptForApproval('Go on?', { timeout: 1500 })
        } catch (error) {
          return error instanceof InterruptTimeoutError ? 'nobody was there' : 'something else'
        }
      })`,
  })
})
afterAll(() => {
  project.remove()
  copy.remove()
})

test.each([
  ['name', 'Name?', 'nobody'],
  ['plain', 'Go on?', 'nobody was there'],
])(
  'S162 a prompt whose time is up goes away, and the flow goes on (%s)',
  async (flow, question, result) => {
    const pty = new Pty({
      command: process.execPath,
      args: [copy.bin, 'run', flow],
      cwd: project.folder,
    })
    try {
      await pty.until(question)
      const { code } = await pty.end()

      expect(code).toBe(0)
      expect(pty.text()).toContain('Its time is up.')
      expect(pty.lines().at(-1)).toBe(result)
      expect(pty.cursorVisible).toBe(true)
    } finally {
      pty.close()
    }
  },
)
