import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/two.mjs': `
      import { END, START, graph, interruptForApproval, interruptForChoice } from 'hexagon'
      export default graph('two', { state: { ok: false, env: '' } })
        .node('review', async () => ({ ok: await interruptForApproval('Deploy?') }))
        .node('router', async () => ({ env: await interruptForChoice('Where?', ['eu', 'us']) }))
        .edge(START, 'review').edge('review', 'router').edge('router', END)`,
  })
})
afterEach(() => bench.remove())

async function suspended(): Promise<{
  readonly id: string
  readonly interrupt: string
  readonly digest: string
}> {
  const { stdout } = await bench.run(['run', 'two', '--json'])
  const { thread, interrupts } = JSON.parse(stdout) as {
    readonly thread: { readonly id: string }
    readonly interrupts: readonly [{ readonly id: string; readonly digest: string }]
  }
  return { id: thread.id, interrupt: interrupts[0].id, digest: interrupts[0].digest }
}

describe('at a terminal', () => {
  test('run asks every question in turn and prints the result on stdout', async () => {
    const { code, stdout, stderr } = await bench.run(['run', 'two'], {
      interactive: true,
      replies: [{ pick: 'Approve' }, { pick: 'us' }],
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ ok: true, env: 'us' })
    expect(stderr).toContain('Completed in')
  })

  test('"decide later" saves, exits 75 and says how to go on', async () => {
    const { code, stdout, stderr } = await bench.run(['run', 'two'], {
      interactive: true,
      replies: ['esc'],
    })
    expect(code).toBe(75)
    expect(stdout).toBe('')
    expect(stderr).toMatch(
      /Saved\. Waiting for an approval at node:review\.\n {2}Continue: {2}hexagon resume \w+/u,
    )
  })

  test.each([
    ['ctrl-c', 130],
    ['sigterm', 143],
  ] as const)('%s in a prompt exits %i with the question still open', async (reply, exit) => {
    const { code, stdout } = await bench.run(['run', 'two', '--json'], {
      interactive: true,
      replies: [reply],
    })
    const { stdout: pending } = await bench.run(['pending', '--json'])
    expect(code).toBe(exit)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted', exitCode: exit })
    expect(JSON.parse(pending)).toMatchObject({
      threads: [{ interrupts: [{ message: 'Deploy?' }] }],
    })
  })

  test('resume by a prefix asks, and goes on to the next question', async () => {
    const { id } = await suspended()
    const { code, stdout } = await bench.run(['resume', id.slice(0, 5)], {
      interactive: true,
      replies: [{ pick: 'Reject' }, { pick: 'eu' }],
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ ok: false, env: 'eu' })
  })

  test('resume without a thread lets one pick', async () => {
    await suspended()
    const { code, terminal } = await bench.run(['resume'], {
      interactive: true,
      replies: ['enter', { pick: 'Approve' }, 'esc'],
    })
    expect(code).toBe(75)
    expect(terminal.met.map(({ message }) => message)).toEqual([
      'Which thread?',
      'Your decision',
      'Choose one',
    ])
  })

  test('a flag answers the first question and the next is asked', async () => {
    const { id } = await suspended()
    const { code, stdout } = await bench.run(['resume', id, '--approve'], {
      interactive: true,
      replies: [{ pick: 'us' }],
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ ok: true, env: 'us' })
  })

  test('a flow with other edges is asked about, and "later" changes nothing', async () => {
    const { id } = await suspended()
    bench.write(
      'flows/two.mjs',
      `import { END, START, graph, interruptForApproval } from 'hexagon'
       export default graph('two', { state: { ok: false, env: '' } })
         .node('review', async () => ({ ok: await interruptForApproval('Deploy?') }))
         .edge(START, 'review').edge('review', END)`,
    )
    const later = await bench.run(['resume', id, '--approve'], {
      interactive: true,
      replies: ['enter'],
    })
    const on = await bench.run(['resume', id, '--approve'], {
      interactive: true,
      replies: [{ pick: 'Continue with the changed flow' }],
    })
    expect(later.code).toBe(78)
    expect(on.code).toBe(0)
  })

  test('cancel asks first, and Enter alone keeps the thread', async () => {
    const { id } = await suspended()
    const kept = await bench.run(['cancel', id], { interactive: true, replies: ['enter'] })
    const cancelled = await bench.run(['cancel', id], {
      interactive: true,
      replies: [{ pick: 'Cancel' }],
    })
    expect(kept.code).toBe(75)
    expect(cancelled.code).toBe(0)
    expect(JSON.parse((await bench.run(['threads', '--json'])).stdout)).toMatchObject({
      threads: [{ status: 'cancelled' }],
    })
  })
})

describe('without a terminal', () => {
  test('E1403 names the flag, and JSON still has the question', async () => {
    const { id, interrupt, digest } = await suspended()
    const { code, stdout, stderr } = await bench.run(['resume', id, '--json'])
    expect(code).toBe(65)
    expect(stderr).toContain('Use --approve or --reject')
    expect(stderr).toContain(`hexagon resume ${interrupt} --digest ${digest} --approve`)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      status: 'suspended',
      interrupts: [{ id: interrupt }],
      error: { code: 'E1403' },
    })
  })

  test('E1004 lists what waits and guesses nothing', async () => {
    const { id } = await suspended()
    const { code, stderr } = await bench.run(['resume', '--approve'])
    expect(code).toBe(2)
    expect(stderr).toContain(`${id} (two)`)
  })

  test('E1302 lists the threads a prefix matches', async () => {
    await bench.run(['run', 'two', '--thread', 'release-1'])
    await bench.run(['run', 'two', '--thread', 'release-2'])
    const { code, stderr } = await bench.run(['resume', 'release', '--approve'])
    expect(code).toBe(66)
    expect(stderr).toContain('matches 2 threads')
    expect(stderr).toContain('release-1 (two')
  })

  test('E1301 lists what waits', async () => {
    const { id } = await suspended()
    const { code, stderr } = await bench.run(['resume', 'nothing-like-it', '--approve'])
    expect(code).toBe(66)
    expect(stderr).toContain('[E1301]')
    expect(stderr).toContain(id)
  })

  test('E1303: a thread that is over', async () => {
    const { id } = await suspended()
    await bench.run(['cancel', id, '--yes'])
    const { code, stderr } = await bench.run(['resume', id, '--approve'])
    expect(code).toBe(69)
    expect(stderr).toContain('[E1303]')
  })

  test('E1405: cancel and delete need --yes and full ids', async () => {
    const { id } = await suspended()
    const unasked = await bench.run(['cancel', id])
    const prefix = await bench.run(['delete', id.slice(0, 6), '--yes'])
    expect([unasked.code, prefix.code]).toEqual([2, 65])
    expect(unasked.stderr).toContain('[E1405]')
    expect(prefix.stderr).toContain('[E1220]')
  })

  test('E1404: --on-interrupt fail', async () => {
    const { code, stdout } = await bench.run(['run', 'two', '--on-interrupt', 'fail', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'suspended', error: { code: 'E1404' } })
  })

  test('--exit-zero-on-suspend exits 0 and still says suspended', async () => {
    const { code, stdout } = await bench.run(['run', 'two', '--exit-zero-on-suspend', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'suspended', exitCode: 0 })
  })

  test('pending --exit-code is 75 when something waits', async () => {
    expect((await bench.run(['pending', '--exit-code'])).code).toBe(0)
    await suspended()
    expect((await bench.run(['pending', '--exit-code'])).code).toBe(75)
  })

  test('pending filters by flow and kind', async () => {
    await suspended()
    for (const [words, count] of [
      [['--flow', 'two', '--kind', 'approval'], 1],
      [['--flow', 'two', '--kind', 'choice'], 0],
      [['--flow', 'other'], 0],
      [['--older-than', '1h'], 0],
      [['--limit', '0'], 0],
    ] as const) {
      const { stdout } = await bench.run(['pending', '--json', ...words])
      expect(JSON.parse(stdout)).toHaveProperty('threads.length', count)
    }
  })

  test('in a pipe pending is tab-separated with full ids and ISO times', async () => {
    const { id } = await suspended()
    const { stdout, stderr } = await bench.run(['pending'])
    expect(stdout).toMatch(
      new RegExp(`^${id}\\ttwo\\tapproval Deploy\\?\\tnode:review\\t\\d{4}-.*Z\\n$`, 'u'),
    )
    expect(stderr).toBe('')
  })

  test('hints are left out in automation', async () => {
    const { stderr } = await bench.run(['run', 'two'], { env: { HEXAGON_IN_AUTOMATION: '1' } })
    expect(stderr).toContain('Suspended at node:review')
    expect(stderr).not.toContain('hexagon resume')
  })
})
