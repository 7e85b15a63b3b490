// Where a failed run says it failed.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'

let copy: PackageCopy
let project: Project | undefined

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
afterEach(() => project?.remove())

const flow = `import { readFile } from 'node:fs/promises'
import { END, START, graph, interruptForApproval } from 'hexagon'
import { limit } from '../lib/limit'
import { unit } from '../lib/unit.ts'

interface Wish { readonly size: number }

export default graph('wish', { state: { size: 0 } })
  .node('judge', async (state) => {
    const wish: Wish = { size: state.size + limit }
    if (wish.size > 1_000) await interruptForApproval(\`\${wish.size} \${unit}?\`)
    const { limit: again } = await import('../lib/limit'); if (again) throw new TypeError('no room')
    return { size: (await readFile('x')).length }
  })
  .edge(START, 'judge')
  .edge('judge', END)
`
const throwsAtLoading = `${flow}\nvoid unit; throw new Error('not today')\n`

describe.each([
  ['an ES module project', '{"type":"module"}'],
  ['a CommonJS project', '{"type":"commonjs"}'],
  ['a project without a type', '{}'],
])('in %s', (_kind, manifest) => {
  test('a node that throws is shown with its place, at the first start and at every later one', async () => {
    const one = open(manifest)

    for (const args of [[], [], ['--data', 'size=3']]) {
      const { stderr, code } = await one.run(['run', 'wish', ...args])

      expect(code).toBe(1)
      expect(stderr).toContain('no room  [E1401]')
      expect(placesIn(stderr)).toEqual([placeOf('new TypeError', flow)])
    }
  })

  test('a node that throws after its answer is, too', async () => {
    const one = open(manifest)
    const { document } = await one.json(['run', 'wish', '--data', 'size=2000'])

    const { stderr, code } = await one.run(['resume', document.thread.id, '--approve'])

    expect(code).toBe(1)
    expect(placesIn(stderr)).toEqual([placeOf('new TypeError', flow)])
  })

  test('a flow that throws while it loads is, too', async () => {
    const one = open(manifest)
    one.write('flows/wish.ts', throwsAtLoading)

    for (let time = 0; time < 2; time++) {
      const { stderr } = await one.run(['run', 'wish'])

      expect(stderr).toContain('[E1113]')
      expect(placesIn(stderr)).toEqual([placeOf('new Error', throwsAtLoading)])
    }
  })
})

function open(manifest: string): Project {
  project = new Project(copy.bin, {
    'package.json': manifest,
    'flows/wish.ts': flow,
    'lib/limit.ts': 'export const limit: number = 10\n',
    'lib/unit.ts': `import { limit } from './limit.ts'\nexport const unit = limit > 1 ? 'apples' : 'apple'\n`,
  })
  return project
}

/** Where the only one of these words stands. */
function placeOf(words: string, text: string): string {
  const before = text.split(words)[0]?.split('\n') ?? []
  return `flows/wish.ts:${before.length}:${(before.at(-1) ?? '').length + 1}`
}

function placesIn(text: string): string[] {
  return [...new Set(text.match(/\bflows\/[\w.]+:\d+:\d+/gu))]
}
