import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

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
    'hexagon.config.json': '{}',
    'flows/ask.ts': ask('review'),
    'flows/where.ts': `
      import { readFileSync } from 'node:fs'
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('where', async () => {
        await interruptForApproval('Go on?')
        return readFileSync('note.txt', 'utf8')
      })`,
  })
})
afterEach(() => project.remove())

function ask(node: string, more = ''): string {
  return `
    import { END, START, graph, interruptForApproval } from 'hexagon'
    export default graph('ask', { state: { ok: false } })
      .node('build', async () => ({}))
      .node('${node}', async () => ({ ok: await interruptForApproval('Deploy?') }))
      .edge(START, 'build').edge('build', '${node}')${more === '' ? `.edge('${node}', END)` : more}`
}

function storeFiles(): string[] {
  return readdirSync(project.path('.hexagon'), { recursive: true, encoding: 'utf8' })
}

describe('B43 a thread resumes', () => {
  test('in another process, from another directory, with --cwd', async () => {
    const { document } = await project.json(['run', 'ask'])

    const { code, document: after } = await project.json(
      ['-C', project.folder, 'resume', document.thread.id, '--approve'],
      { cwd: '/' },
    )

    expect(code).toBe(0)
    expect(after.result).toEqual({ ok: true })
  })

  test('from a folder below the project', async () => {
    mkdirSync(project.path('deep/er'), { recursive: true })
    const { document } = await project.json(['run', 'ask'])

    const { code } = await project.json(['resume', document.thread.id, '--approve'], {
      cwd: project.path('deep/er'),
    })

    expect(code).toBe(0)
  })

  test('in the working directory it was started in', async () => {
    project.write('inside/note.txt', 'from inside')
    const { document } = await project.json(['run', 'where'], { cwd: project.path('inside') })

    const { document: after } = await project.json(['resume', document.thread.id, '--approve'])

    expect(after.result).toBe('from inside')
  })

  test('never when that directory is gone', async () => {
    project.write('inside/note.txt', 'from inside')
    const { document } = await project.json(['run', 'where'], { cwd: project.path('inside') })
    rmSync(project.path('inside'), { recursive: true })

    const { code, document: refused } = await project.json([
      'resume',
      document.thread.id,
      '--approve',
    ])

    expect(code).toBe(66)
    expect(refused.error).toMatchObject({ code: 'E1320' })
    expect(refused.interrupts).toHaveLength(1)
  })
})

describe('B49 a flow that changed between pause and answer', () => {
  test('without the asking node is refused, with old and new name; the thread is untouched', async () => {
    const { document } = await project.json(['run', 'ask'])
    project.write('flows/ask.ts', ask('reviewer'))

    const { code, document: refused } = await project.json([
      'resume',
      document.thread.id,
      '--approve',
      '--allow-changed',
    ])

    expect(code).toBe(78)
    expect(refused.error.code).toBe('E1304')
    expect(`${refused.error.message} ${refused.error.hint}`).toMatch(/"review".*"reviewer"/u)
    expect(refused.thread.version).toBe(document.thread.version)
    project.write('flows/ask.ts', ask('review'))
    expect((await project.run(['resume', document.thread.id, '--approve'])).code).toBe(0)
  })

  test('with other nodes and edges needs --allow-changed', async () => {
    const { document } = await project.json(['run', 'ask'])
    project.write(
      'flows/ask.ts',
      ask('review', `.node('audit', async () => ({})).edge('review', 'audit').edge('audit', END)`),
    )

    const refused = await project.json(['resume', document.thread.id, '--approve'])
    const allowed = await project.json([
      'resume',
      document.thread.id,
      '--approve',
      '--allow-changed',
    ])

    expect(refused.code).toBe(78)
    expect(refused.document.error.code).toBe('E1305')
    expect(refused.document.error.message).toContain('+ node audit')
    expect(allowed.code).toBe(0)
  })

  test('with other code only is told and goes on', async () => {
    const { document } = await project.json(['run', 'ask'])
    project.write('flows/ask.ts', `${ask('review')}\n// changed`)

    const { code, stderr } = await project.run(['resume', document.thread.id, '--approve'])

    expect(code).toBe(0)
    expect(stderr).toContain('flows/ask.ts changed since')
  })

  test('moved to another file is refused until --flow says where', async () => {
    const { document } = await project.json(['run', 'ask'])
    renameSync(project.path('flows/ask.ts'), project.path('flows/moved.ts'))

    const refused = await project.json(['resume', document.thread.id, '--approve'])
    const moved = await project.json([
      'resume',
      document.thread.id,
      '--approve',
      '--flow',
      'flows/moved.ts',
    ])

    expect(refused.code).toBe(66)
    expect(refused.document.error.code).toBe('E1101')
    expect(moved.code).toBe(0)
  })
})

describe('B56 a damaged file', () => {
  test('hides no other thread: pending lists them, names the file, exits 74', async () => {
    const ids = []
    for (let count = 0; count < 3; count++)
      ids.push((await project.json(['run', 'ask'])).document.thread.id)
    const [bad = ''] = ids
    const file = storeFiles().find(
      (name) => name.includes(bad) && name.startsWith('threads/') && name.endsWith('.json'),
    )
    project.write(join('.hexagon', file ?? ''), '{"half":')

    const { code, document, stderr } = await project.json(['pending'])

    expect(document.threads.map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted())
    expect(document.damaged).toHaveLength(1)
    expect(document.damaged?.[0]?.file).toContain(bad)
    expect(stderr).toContain(bad)
    expect(code).toBe(74)
  })
})

test('B41 a node that returns a function fails once and the thread stays resumable', async () => {
  project.write(
    'flows/bad.ts',
    `import { END, START, graph } from 'hexagon'
     let runs = 0
     export default graph('bad', { state: { value: undefined as unknown } })
       .node('plan', async () => { console.log('run ' + ++runs); return { value: { client: () => 1 } } })
       .edge(START, 'plan').edge('plan', END)`,
  )

  const { code, document, stderr } = await project.json(['run', 'bad'])
  const shown = await project.json(['show', document.thread.id])

  expect(code).toBe(1)
  expect(document.status).toBe('failed')
  expect(document.error.message).toContain('client')
  expect(stderr.match(/run \d/gu)).toEqual(['run 1'])
  expect(shown.document.thread.status).toBe('failed')
  project.write(
    'flows/bad.ts',
    `import { END, START, graph } from 'hexagon'
     export default graph('bad', { state: { value: undefined as unknown } })
       .node('plan', async () => ({ value: 1 })).edge(START, 'plan').edge('plan', END)`,
  )
  const fixed = await project.json(['resume', document.thread.id, '--retry'])
  expect(fixed.document.result).toEqual({ value: 1 })
})

test('O22 a write conflict names key and nodes, show still works, and a fixed flow resumes', async () => {
  const flow = (key: string): string => `
    import { END, START, graph } from 'hexagon'
    export default graph('twins', { state: { total: 0, other: 0 } })
      .node('a', async () => ({ total: 1 })).node('b', async () => ({ ${key}: 2 }))
      .edge(START, 'a').edge(START, 'b').edge('a', END).edge('b', END)`
  project.write('flows/twins.ts', flow('total'))

  const failed = await project.json(['run', 'twins'])
  const shown = await project.run(['show', failed.document.thread.id])
  project.write('flows/twins.ts', flow('other'))
  const fixed = await project.json(['resume', failed.document.thread.id, '--retry'])

  expect(failed.code).toBe(1)
  expect(failed.document.error.message).toMatch(/"total".*a and b/u)
  expect(shown.code).toBe(0)
  expect(fixed.document.result).toEqual({ total: 1, other: 2 })
})

test('O22 an unknown state key is an error with a suggestion', async () => {
  project.write(
    'flows/typo.ts',
    `import { END, START, graph } from 'hexagon'
     export default graph('typo', { state: { total: 0 } })
       .node('a', async () => ({ totl: 1 } as never)).edge(START, 'a').edge('a', END)`,
  )
  const { code, document } = await project.json(['run', 'typo'])
  expect(code).toBe(1)
  expect(`${document.error.message} ${document.error.hint}`).toMatch(/"totl".*total/u)
})

describe('O22 a thread id that could lead elsewhere', () => {
  test.each(['../../x', 'a/b', 'CON', 'x'.repeat(300), '🙂', '.', '', '__proto__', 'i_abc'])(
    '%j is refused and nothing is written',
    async (id) => {
      const { code, document } = await project.json(['run', 'ask', '--thread', id])
      expect(code).toBe(2)
      expect(document.error.code).toBe('E1012')
      expect(existsSync(project.path('.hexagon/threads'))).toBe(false)
    },
  )
})

describe('B94 run --thread on a thread that waits', () => {
  test('is refused and says resume', async () => {
    await project.run(['run', 'ask', '--thread', 'release-1'])

    const { code, document } = await project.json(['run', 'ask', '--thread', 'release-1'])

    expect(code).toBe(69)
    expect(document.error.code).toBe('E1314')
    expect(document.error.hint).toContain('hexagon resume release-1')
  })

  test('with --reuse goes on and waits again', async () => {
    const { document } = await project.json(['run', 'ask', '--thread', 'release-1'])

    const again = await project.json(['run', 'ask', '--thread', 'release-1', '--reuse'])

    expect(again.code).toBe(75)
    expect(again.document.interrupts.map(({ id }) => id)).toEqual(
      document.interrupts.map(({ id }) => id),
    )
  })

  test('with --reuse and another start value is refused', async () => {
    await project.run(['run', 'ask', '--thread', 'release-1'])
    const { code, document } = await project.json([
      'run',
      'ask',
      '--thread',
      'release-1',
      '--reuse',
      '-d',
      'ok:=true',
    ])
    expect(code).toBe(69)
    expect(document.error.code).toBe('E1314')
  })
})

test('a folder without a store lists nothing and exits 0', async () => {
  const { code, document } = await project.json(['pending'])
  const { stderr, stdout } = await project.run(['pending'])

  expect(code).toBe(0)
  expect(document).toEqual({ v: 1, ok: true, command: 'pending', threads: [] })
  expect(stdout).toBe('')
  expect(stderr).toContain(
    `Nothing is waiting (no .hexagon directory in ${project.folder} or above).`,
  )
})

test('nothing is kept of an --ephemeral run', async () => {
  const { code, document } = await project.json(['run', 'ask', '--ephemeral'])
  expect(code).toBe(65)
  expect(document.error.code).toBe('E1406')
  expect(existsSync(project.path('.hexagon'))).toBe(false)
})

test('the thread files belong to their owner alone', async () => {
  await project.run(['run', 'ask'])
  expect(readFileSync(project.path('.hexagon/.gitignore'), 'utf8')).toBe('*\n')
})

test('export and import carry a waiting thread to another project', async () => {
  const other = new Project(copy.bin, { 'flows/ask.ts': ask('review') })
  try {
    const { document } = await project.json(['run', 'ask'])
    const exported = await project.run(['export', document.thread.id])
    other.write('thread.json', exported.stdout)

    const untrusted = await other.json(['import', 'thread.json'])
    const imported = await other.run(['import', 'thread.json', '--trust'])
    const resumed = await other.json(['resume', document.interrupts[0]?.id ?? '', '--approve'])
    const original = await project.json(['resume', document.thread.id, '--approve'])

    expect(untrusted.code).toBe(65)
    expect(imported.code).toBe(0)
    expect(resumed.document.result).toEqual({ ok: true })
    expect(original.code).toBe(69)
  } finally {
    other.remove()
  }
})

describe('a command that has ended', () => {
  test('leaves nothing in the folder that doctor complains of', async () => {
    const { document } = await project.json(['run', 'ask'])
    const { id } = document.thread
    const copied = await project.run(['fork', id, '--at', '1', '--quiet'])
    const codes = [copied.code]
    for (const words of [['resume', id, '--approve', '--no-run'], ['resume', id], ['tick']]) {
      codes.push((await project.run(words)).code)
    }

    expect(codes).toEqual([0, 0, 0, 0])
    expect(storeFiles().filter((file) => /tmp.|mutex|lock/u.test(file))).toEqual([])
    expect((await project.run(['doctor'])).code).toBe(0)
  })
})
