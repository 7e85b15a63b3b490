import { readFileSync } from 'node:fs'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project, type CommandEnd } from '../support/project.ts'

let copy: PackageCopy
let project: Project

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/deploy.ts': `
      import { END, START, graph, interrupt } from 'hexagon'
      export default graph('deploy', { state: { note: '' } })
        .node('build', async () => {
          console.log('::error::forged')
          console.log('text with ##[error]forged')
          return {}
        })
        .node('review', async () => ({ note: await interrupt({ text: '\`\`\`\`\\n::stop-commands::x' }) }))
        .edge(START, 'build').edge('build', 'review').edge('review', END)`,
    'flows/broken.ts': 'export default function flow( {\n  const x: = 3;\n}\n',
    'flows/lines.ts': `
      import { flow } from 'hexagon'
      export default flow('lines', async () => 'one\\ntwo')`,
  })
})
afterEach(() => project.remove())

function inActions(...words: string[]): Promise<CommandEnd> {
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_OUTPUT: project.path('output.txt'),
    GITHUB_STEP_SUMMARY: project.path('summary.md'),
  }
  return project.run(words, { env })
}

function read(name: string): string {
  return readFileSync(project.path(name), 'utf8')
}

describe('in GitHub Actions', () => {
  test('a suspended run leaves outputs, a summary and a notice', async () => {
    const { code, stderr, stdout } = await inActions('run', 'deploy', '--json')

    const { thread, interrupts } = JSON.parse(stdout) as {
      readonly thread: { readonly id: string; readonly version: number }
      readonly interrupts: readonly [{ readonly id: string; readonly digest: string }]
    }
    expect(code).toBe(75)
    expect(read('output.txt')).toContain(
      `thread=${thread.id}\nstatus=suspended\nexit-code=75\ninterrupt-kind=custom\n`,
    )
    expect(read('output.txt')).toContain(`version=${thread.version}\n`)
    expect(read('summary.md')).toContain(`| build | finished |`)
    expect(read('summary.md')).toContain(
      `hexagon resume ${interrupts[0].id} --digest ${interrupts[0].digest}`,
    )
    expect(stderr).toMatch(/^::notice title=Waiting::node:review waits for an answer/mu)
  })

  test('a payload can close no fence, and what a flow prints is no command', async () => {
    const { stderr } = await inActions('run', 'deploy')
    expect(read('summary.md')).toContain('`````text')
    const commands = stderr
      .split('\n')
      .filter((line) => line.trim().startsWith('::') || line.includes('##['))
    expect(commands).toHaveLength(1)
    expect(commands[0]).toMatch(/^::notice /u)
  })

  test('an error in a flow file is annotated at its place', async () => {
    const { code, stderr, stdout } = await inActions('run', 'broken')
    expect(code).toBe(78)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^::error file=flows\/broken\.ts,line=2,col=\d+,title=E1107::/mu)
  })

  test('nothing is annotated with --no-annotations', async () => {
    const { stderr } = await inActions('run', 'broken', '--no-annotations')
    expect(stderr).not.toContain('::error')
  })

  test('the result is an output of one line', async () => {
    await inActions('run', 'lines')
    expect(read('output.txt')).toContain(String.raw`result="one\ntwo"` + '\n')
  })
})
