import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

const two = (
  second = 'second',
  state = `log: channel({ initial: [], reduce: (a, b) => [...a, ...b] }), note: ''`,
): string => `
  import { END, START, channel, graph, interruptForInput } from 'hexagon'
  export default graph('two', { state: { ${state} } })
    .node('pre', () => ({ log: ['pre'] }))
    .node('first', async () => ({ log: [await interruptForInput('First?')] }))
    .node('${second}', async ({ note }) => ({ log: [note + await interruptForInput('Second?')] }))
    .edge(START, 'pre').edge('pre', 'first').edge('first', '${second}').edge('${second}', END)`

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/two.mjs': two(),
  })
})
afterEach(() => bench.remove())

interface Document {
  readonly ok: boolean
  readonly status: string
  readonly thread: { readonly id: string; readonly version: number; readonly status: string }
  readonly threads: readonly { readonly id: string; readonly parent: unknown }[]
  readonly interrupts: readonly { readonly id: string; readonly message: string }[]
  readonly checkpoints: readonly {
    readonly version: number
    readonly status: string
    readonly label: string
  }[]
  readonly state: Readonly<Record<string, unknown>>
  readonly next: readonly string[]
  readonly result: unknown
  readonly error: { readonly code: string; readonly message: string; readonly hint: string }
}

async function json(...words: string[]): Promise<{ code: number; document: Document }> {
  const { code, stdout } = await bench.run([...words, '--json'])
  return { code, document: JSON.parse(stdout) as Document }
}

/** A thread that has answered its first question. */
async function halfway(): Promise<{ id: string; asking: number; before: number }> {
  const { document } = await json('run', 'two')
  const { id, version } = document.thread
  const { document: after } = await json('resume', id, '--text', 'A')
  return { id, before: version, asking: after.thread.version }
}

describe('history', () => {
  test('lists threads, done and open, newest first', async () => {
    const { id: done } = await halfway()
    await json('resume', done, '--text', 'B')
    const { id: open } = await halfway()
    await json('fork', open, '--thread', 'copy')

    const { code, document } = await json('history')
    expect(code).toBe(0)
    expect(document.threads.map(({ id }) => id)).toEqual(['copy', open, done])
    expect(document.threads[0]?.parent).toMatchObject({ threadId: open })
    const { stdout } = await bench.run(['history', '--limit', '1'])
    expect(stdout).toMatch(/^copy\ttwo\tsuspended\t/u)
  })

  test('of a thread lists its checkpoints, newest first', async () => {
    const { id, asking } = await halfway()

    const { document } = await json('history', id)
    const versions = document.checkpoints.map(({ version }) => version)
    expect(versions).toEqual(Array.from({ length: asking }, (_, n) => asking - n))
    expect(document.checkpoints[0]).toMatchObject({ status: 'suspended', label: 'suspended' })
    expect(document.checkpoints.at(-1)).toMatchObject({ version: 1, label: 'start' })
    const { document: page } = await json('history', id, '--before', '3', '--limit', '1')
    expect(page.checkpoints.map(({ version }) => version)).toEqual([2])
  })

  test('tells what changed between two checkpoints', async () => {
    const { id, before, asking } = await halfway()

    const { document } = await json('history', id, '--diff', `${before}..${asking}`)
    expect(document).toMatchObject({
      from: { version: before, status: 'suspended' },
      to: { version: asking, status: 'suspended' },
      state: { log: { before: ['pre'], after: ['pre', 'A'] } },
      tasks: { gone: [{ node: 'first' }], added: [{ node: 'second', status: 'parked' }] },
      questions: { closed: [{ message: 'First?' }], opened: [{ message: 'Second?' }] },
    })
    const { stdout } = await bench.run(['history', id, '--diff', `${before}..${asking}`])
    expect(stdout.split('\n')).toEqual([
      `version ${before} (suspended) to ${asking} (suspended)`,
      '- log: ["pre"]',
      '+ log: ["pre","A"]',
      '- task first',
      '+ task second (parked)',
      '- question First?',
      '+ question Second?',
      '',
    ])
    const { stdout: same } = await bench.run(['history', id, '--diff', `${asking}..${asking}`])
    expect(same).toContain('nothing changed')
  })

  test('refuses a comparison it can not read, and a checkpoint that is not there', async () => {
    const { id } = await halfway()
    for (const diff of ['4', 'a..b', '4..'])
      expect(await json('history', id, '--diff', diff)).toMatchObject({
        code: 2,
        document: { error: { code: 'E1006' } },
      })
    expect(await json('history', '--diff', '1..2')).toMatchObject({ code: 2 })
    expect((await json('history', id, '--diff', '1..99')).document.error.code).toBe('E2122')
    expect((await json('show', id, '--at', '99')).document.error.code).toBe('E2122')
    expect(await json('history', 'nobody')).toMatchObject({ code: 66 })
  })
})

describe('show --at', () => {
  test('shows a thread as it was', async () => {
    const { id, before } = await halfway()

    const { document } = await json('show', id, '--at', String(before), '--state')
    expect(document.thread).toMatchObject({
      version: before,
      status: 'suspended',
      state: { log: ['pre'], note: '' },
      interrupts: [{ message: 'First?' }],
    })
    const { stdout } = await bench.run(['show', id, '--at', String(before)])
    expect(stdout).toContain('First?')
    expect(stdout).not.toContain('hexagon resume')
    const { document: running } = await json('show', id, '--at', '1')
    expect(running.thread.status).toBe('running')
  })
})

describe('fork', () => {
  test('B50 goes on by itself from before an answer; the original stays as it is', async () => {
    const { id, before } = await halfway()
    const { document: original } = await json('history', id)
    const { code, stdout, stderr } = await bench.run(['fork', id, '--at', String(before)])
    const forked = stdout.trim()
    expect(code).toBe(0)
    expect(stderr).toContain(`Forked ${id} at version ${before} as ${forked}`)

    const { document: asked } = await json('show', forked)
    expect(asked.thread).toMatchObject({
      status: 'suspended',
      parent: { threadId: id, version: before },
      interrupts: [{ message: 'First?' }],
    })
    await json('resume', forked, '--text', 'X')
    const { document: done } = await json('resume', forked, '--text', 'Y')
    expect(done.result).toMatchObject({ log: ['pre', 'X', 'Y'] })

    expect((await json('history', id)).document.checkpoints).toEqual(original.checkpoints)
    const { document: rest } = await json('resume', id, '--text', 'B')
    expect(rest.result).toMatchObject({ log: ['pre', 'A', 'B'] })
  })

  test('B04 two forks take different answers, and a used question takes no second one', async () => {
    const { document } = await json('run', 'two')
    const { id, version } = document.thread
    const [question] = document.interrupts
    const results = []
    for (const answer of ['one', 'two']) {
      const { document: fork } = await json('fork', id, '--at', String(version))
      await json('resume', fork.thread.id, '--text', answer)
      const { document: done } = await json('resume', fork.thread.id, '--text', 'end')
      results.push(done.result)
    }
    expect(results).toMatchObject([{ log: ['pre', 'one', 'end'] }, { log: ['pre', 'two', 'end'] }])

    await json('resume', id, '--text', 'mine')
    const again = await json('resume', question?.id ?? '', '--text', 'other')
    expect(again).toMatchObject({ code: 69, document: { error: { code: 'E1307' } } })
  })

  test('takes an id of its own, once', async () => {
    const { id } = await halfway()
    expect(await json('fork', id, '--thread', 'mine')).toMatchObject({
      code: 0,
      document: { thread: { id: 'mine' }, interrupts: [{ message: 'Second?' }] },
    })
    expect(await json('fork', id, '--thread', 'mine')).toMatchObject({
      code: 69,
      document: { error: { code: 'E1314' } },
    })
    expect(await json('fork', id, '--thread', '../x')).toMatchObject({ code: 2 })
    expect(await json('fork')).toMatchObject({ code: 2, document: { error: { code: 'E1004' } } })
  })
})

describe('update', () => {
  test('L61 changes the state of a fork through the reducers; the original stays', async () => {
    const { id, before } = await halfway()
    await json('fork', id, '--at', String(before), '--thread', 'edited')
    const { code, document } = await json(
      'update',
      'edited',
      '--data',
      'log:=["edit"]',
      '--data',
      'note=!',
    )
    expect(code).toBe(0)
    expect(document).toMatchObject({
      status: 'suspended',
      state: { log: ['pre', 'edit'], note: '!' },
      interrupts: [{ message: 'First?' }],
    })
    await json('resume', 'edited', '--text', 'X')
    const { document: done } = await json('resume', 'edited', '--text', 'Y')

    expect(done.result).toMatchObject({ log: ['pre', 'edit', 'X', '!Y'], note: '!' })
    const { document: original } = await json('show', id, '--state')
    expect(original.thread).toMatchObject({ state: { log: ['pre', 'A'], note: '' } })
  })

  test('goes on elsewhere with --goto, and closes what it leaves', async () => {
    const { document } = await json('run', 'two')
    const { id } = document.thread
    const { stderr } = await bench.run(['update', id, '--goto', 'second'])
    expect(stderr).toContain('goes on at second')
    const { document: view } = await json('show', id)
    expect(view.thread).toMatchObject({
      next: ['second'],
      interrupts: [],
      answered: [{ status: 'cancelled' }],
    })

    const { document: paused } = await json('resume', id)
    expect(paused.interrupts).toMatchObject([{ message: 'Second?' }])
  })

  test('L08 --goto end leaves nothing to do', async () => {
    const { document } = await json('run', 'two')
    expect(await json('update', document.thread.id, '--goto', 'end')).toMatchObject({
      code: 0,
      document: { status: 'completed', next: [], interrupts: [], state: { log: ['pre'] } },
    })
  })

  test('L73 refuses what the flow does not know, and nothing to do, and leaves the thread', async () => {
    const { document } = await json('run', 'two')
    const { id, version } = document.thread
    const refusals: readonly [string[], number, string][] = [
      [[], 2, 'E1006'],
      [['--data', 'nota=x'], 1, 'E2102'],
      [['--goto', 'secnd'], 1, 'E2102'],
      [['--data', '5'], 65, 'E1208'],
      [['--data', 'note=x', '--if-version', '1'], 69, 'E1307'],
    ]
    for (const [words, code, error] of refusals)
      expect(await json('update', id, ...words)).toMatchObject({
        code,
        document: { error: { code: error } },
      })

    expect((await json('show', id)).document.thread.version).toBe(version)
  })
})

describe('breakpoints', () => {
  test('stop a run, are remembered by the thread, and pass with a resume', async () => {
    const { code, document } = await json(
      'run',
      'two',
      '--break-before',
      'first',
      '--break-after',
      'pre',
    )
    const { id } = document.thread
    expect(code).toBe(75)
    expect(document.interrupts).toMatchObject([{ message: 'Stopped after pre' }])
    const { document: second } = await json('resume', id)
    expect(second.interrupts).toMatchObject([{ message: 'Stopped before first' }])
    await json('update', id, '--data', 'note=seen')
    const { document: third } = await json('resume', id)
    expect(third.interrupts).toMatchObject([{ message: 'First?' }])
    const { document: fourth } = await json('resume', id, '--text', 'A', '--break-before', 'second')
    expect(fourth.interrupts).toMatchObject([{ message: 'Stopped before second' }])

    const { document: last } = await json('resume', id, '--no-breaks')
    expect(last.interrupts).toMatchObject([{ message: 'Second?' }])
    const { document: done } = await json('resume', id, '--text', 'B')
    expect(done.result).toMatchObject({ log: ['pre', 'A', 'seenB'] })
  })

  test('at a node nobody has are refused', async () => {
    const { code, document } = await json('run', 'two', '--break-before', 'frist')

    expect(code).toBe(1)
    expect(document.error).toMatchObject({ code: 'E2102', hint: 'Did you mean "first"?' })
    expect((await json('history')).document.threads).toEqual([])
  })
})

describe('check', () => {
  test('S175 tells which waiting threads go on with the flow as it is now', async () => {
    const { document: waiting } = await json('run', 'two')
    const { id: other } = await halfway()
    expect(await json('check', 'two')).toMatchObject({
      code: 0,
      document: {
        flows: [
          {
            name: 'two',
            threads: [{ verdict: 'resumes' }, { verdict: 'resumes' }],
          },
        ],
      },
    })

    bench.write('flows/two.mjs', two('next'))
    const { code, document } = await json('check', 'two')
    expect(code).toBe(78)
    const [flow] = (document as unknown as { flows: { threads: { threadId: string }[] }[] }).flows
    expect(flow?.threads.toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1))).toEqual(
      [
        { threadId: waiting.thread.id, verdict: 'resumes' },
        {
          threadId: other,
          verdict: 'stuck',
          why: expect.stringContaining('"second"'),
          fix: expect.any(String),
        },
      ].toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1)),
    )
    const { stderr } = await bench.run(['check', 'two'])
    expect(stderr).toContain(`${other}  stuck`)
  })

  test('tells a thread whose state the flow has no place for', async () => {
    const { document } = await json('run', 'two')
    bench.write(
      'flows/two.mjs',
      two('second', 'log: channel({ initial: [], reduce: (a, b) => [...a, ...b] }), remark: ""'),
    )
    const { code, document: checked } = await json('check', 'two')

    expect(code).toBe(78)
    expect(checked).toMatchObject({
      flows: [{ threads: [{ threadId: document.thread.id, verdict: 'needs migration' }] }],
    })
  })

  test('B49 runs nothing and writes nothing', async () => {
    bench.write(
      'flows/two.mjs',
      `${two()}\nexport const ran = () => { throw new Error('nothing runs') }`,
    )
    const { document } = await json('run', 'two')
    await json('check', 'two')

    expect((await json('show', document.thread.id)).document.thread.version).toBe(
      document.thread.version,
    )
  })
})

describe('a subgraph', () => {
  beforeEach(() => {
    bench.write(
      'flows/nested.mjs',
      `
      import { END, START, graph, interruptForInput } from 'hexagon'
      const draft = graph('draft', { state: { note: 'first' } })
        .node('ask', async () => { await interruptForInput('Draft?') })
        .node('write', ({ note }) => ({ note: note + '!' }))
        .edge(START, 'ask').edge('ask', 'write').edge('write', END)
      export default graph('nested', { state: { text: '' } })
        .node('review', draft, { input: () => ({}), output: ({ note }) => ({ text: note }) })
        .edge(START, 'review').edge('review', END)`,
    )
  })

  test('is shown and changed by the names of its nodes', async () => {
    const { document: run } = await json('run', 'nested')
    const { id } = run.thread
    const edited = await json('update', id, '--in', 'review', '-d', 'note=short')
    expect(edited).toMatchObject({ code: 0, document: { state: { note: 'short' } } })
    const { stdout } = await bench.run(['show', id, '--in', 'node:review', '--state', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      thread: { state: { note: 'short' }, next: ['ask'] },
    })

    const { document: done } = await json('resume', id, '--text', 'x')
    expect(done.result).toEqual({ text: 'short!' })
  })

  test('that is not there is refused with the nearest name', async () => {
    const { document: run } = await json('run', 'nested')
    const { code, document } = await json('update', run.thread.id, '--in', 'reviw', '-d', 'note=x')
    expect(code).toBe(1)
    expect(document.error).toMatchObject({ code: 'E2102', hint: 'Did you mean "review"?' })
  })
})
