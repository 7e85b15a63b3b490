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
    'flows/ask.ts': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('ask', async () => interruptForApproval('Deploy?'))`,
    'flows/slow.ts': `
      import { END, START, graph } from 'hexagon'
      import { setTimeout as sleep } from 'node:timers/promises'
      export default graph('slow', { state: { done: 0 } })
        .node('first', async () => { console.log('first runs'); await sleep(400); return { done: 1 } })
        .node('second', async () => { console.log('second runs'); return { done: 2 } })
        .edge(START, 'first').edge('first', 'second').edge('second', END)`,
    'flows/endless.ts': `
      import { END, START, graph } from 'hexagon'
      export default graph('endless', { state: {} })
        .node('hang', async () => { console.log('hanging'); setInterval(() => {}, 1000); await new Promise(() => {}) })
        .edge(START, 'hang').edge('hang', END)`,
    'flows/big.ts': `
      import { flow } from 'hexagon'
      export default flow('big', async (input: { mb: number }) => ({ text: 'x'.repeat(input.mb * 1024 * 1024) }))`,
    'flows/noisy.ts': `
      import { flow } from 'hexagon'
      console.log('at import')
      process.stdout.write('written at import\\n')
      export default flow('noisy', async () => { console.log('in the node'); console.error('to stderr'); return 'done' })`,
    'flows/leftover.ts': `
      import { flow } from 'hexagon'
      export default flow('leftover', async () => { setInterval(() => {}, 1000); return 'done' })`,
    'flows/stray.ts': `
      import { flow } from 'hexagon'
      export default flow('stray', async () => {
        void Promise.reject(new Error('nobody catches this'))
        await new Promise((resolve) => setTimeout(resolve, 5000))
      })`,
    'flows/exits.ts': `
      import { flow } from 'hexagon'
      export default flow('exits', async () => { process.exit(0) })`,
    'flows/never.ts': `
      import { flow } from 'hexagon'
      export default flow('never', async () => { await new Promise(() => {}) })`,
  })
})
afterEach(() => project.remove())

describe('pipes', () => {
  test('B67 an open pipe on standard input does not hold up a run', async () => {
    const running = project.start(['run', 'ask', '--json'], { stdinOpen: true })
    const started = Date.now()
    const { code } = await running.end
    expect(code).toBe(75)
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  test('B71 lines on standard input answer no prompt', async () => {
    const { code } = await project.run(['run', 'ask'], { stdin: 'y\ny\n' })
    expect(code).toBe(75)
  })

  test('B74 five megabytes of JSON arrive whole through a slow pipe', async () => {
    const { stdout } = await project.shell('$HEXAGON run big -d mb:=5 --json | (sleep 1; wc -c)')
      .end
    const { stdout: human } = await project.shell('$HEXAGON run big -d mb:=5 | (sleep 1; wc -c)')
      .end
    expect(Number(stdout)).toBeGreaterThan(5 * 1024 * 1024)
    expect(Number(human)).toBe('{"text":""}\n'.length + 5 * 1024 * 1024)
  })

  test('B74 a reader that leaves early causes no stack', async () => {
    const { stderr, code } = await project.shell(
      'set -o pipefail; $HEXAGON run big -d mb:=5 --json | head -c 10 > /dev/null',
    ).end
    expect(stderr).not.toMatch(/EPIPE|Error/u)
    expect(code).toBe(0)
  })

  test('O17 what a flow prints, at import or in a node, stays out of the JSON', async () => {
    const { document, stderr } = await project.json(['run', 'noisy'])
    expect(document.result).toBe('done')
    for (const text of ['at import', 'written at import', 'in the node', 'to stderr']) {
      expect(stderr).toContain(text)
    }
  })

  test('jsonl has the version first, prints as log events, and the document last', async () => {
    const { stdout } = await project.run(['run', 'noisy', '-o', 'jsonl'])

    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index))
    expect(lines[0]).toMatchObject({ v: 1, type: 'version' })
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'log', stream: 'stdout', text: 'in the node\n' }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ type: 'node.completed', node: 'noisy' }))
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      status: 'completed',
      exitCode: 0,
      result: 'done',
    })
  })

  test('a text result is printed as it is, and nothing for nothing', async () => {
    project.write(
      'flows/nothing.ts',
      `import { flow } from 'hexagon'\nexport default flow('nothing', async () => {})`,
    )
    expect((await project.run(['run', 'noisy'])).stdout).toBe('done\n')
    expect((await project.run(['run', 'nothing'])).stdout).toBe('')
  })

  test('--get prints one value, raw', async () => {
    const { stdout } = await project.run(['run', 'ask', '--get', 'interrupts[0].kind'])
    expect(stdout).toBe('approval\n')
  })

  test('--get of what is not there names what is, and fails', async () => {
    const gone = await project.run(['pending', '--get', 'thread.id'])
    expect(gone).toMatchObject({ code: 66, stdout: '' })
    expect(gone.stderr).toContain('The result has no "thread"  [E1019]')
    expect(gone.stderr).toContain('Did you mean "threads"? There is: v, ok, command, threads')
  })

  test('--get of what is not there leaves the exit code of a thread that waits', async () => {
    const waits = await project.run(['run', 'ask', '--get', 'interrupts[3].id'])
    expect(waits).toMatchObject({ code: 75, stdout: '' })
    expect(waits.stderr).toContain('There is: interrupts[0]')
  })

  test('--get says nothing about what an error does not hold', async () => {
    const failed = await project.run(['show', 'nobody', '--get', 'thread.id'])
    expect(failed).toMatchObject({ code: 66, stdout: '' })
    expect(failed.stderr).not.toContain('E1019')
  })
})

describe('the end of the process', () => {
  test('O16 a timer that a flow left behind does not keep it alive', async () => {
    const running = project.start(['run', 'leftover'])
    await running.until('Completed')
    const completed = Date.now()
    const { code, stdout } = await running.end
    expect(code).toBe(0)
    expect(stdout).toBe('done\n')
    expect(Date.now() - completed).toBeLessThan(2000)
  })

  test('E1114: process.exit(0) in a flow is no success', async () => {
    const { code, stderr, stdout } = await project.run(['run', 'exits', '--json'])
    expect(code).toBe(70)
    expect(stderr).toContain('[E1114]')
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'E1114' } })
  })

  test('E1115: a promise that never settles is no success', async () => {
    const { code, document } = await project.json(['run', 'never'])
    expect(code).toBe(70)
    expect(document.error.code).toBe('E1115')
    expect(document.error.message).toContain('node "never" still waits')
  })

  test('a rejection that nobody catches fails the run, and the thread can go on', async () => {
    const { code, document } = await project.json(['run', 'stray'])
    const shown = await project.json(['threads'])
    expect(code).toBe(1)
    expect(document.error.message).toContain('nobody catches this')
    expect(shown.document.threads[0]?.status).toBe('suspended')
  })
})

describe('B68 a signal while nodes run', () => {
  test('Ctrl+C lets the running node finish, starts no other, and exits 130', async () => {
    const running = project.start(['run', 'slow', '--json'])
    await running.until('first runs')
    running.process.kill('SIGINT')

    const { code, stdout, stderr } = await running.end
    const document = JSON.parse(stdout) as { status: string; thread: { id: string } }
    const resumed = await project.json(['resume', document.thread.id])

    expect(code).toBe(130)
    expect(document.status).toBe('interrupted')
    expect(stderr).not.toContain('second runs')
    expect(resumed.document.result).toEqual({ done: 2 })
    expect(resumed.stderr).not.toContain('first runs')
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s saves and exits %i', async (signal, expected) => {
    const running = project.start(['run', 'slow'])
    await running.until('first runs')
    running.process.kill(signal)

    const { code } = await running.end
    const { document } = await project.json(['threads'])

    expect(code).toBe(expected)
    expect(document.threads.map(({ status }) => status)).toEqual(['suspended'])
  })

  test('a second Ctrl+C abandons a node that does not end', async () => {
    const running = project.start(['run', 'endless', '--json'])
    await running.until('hanging')
    running.process.kill('SIGINT')
    await running.until('Stopping')
    running.process.kill('SIGINT')

    const { code } = await running.end
    const { document } = await project.json(['threads'])

    expect(code).toBe(130)
    expect(document.threads[0]?.status).toMatch(/suspended|crashed/u)
  })

  test('--timeout saves and exits 124', async () => {
    const { code, document } = await project.json(['run', 'endless', '--timeout', '500ms'])
    expect(code).toBe(124)
    expect(document).toMatchObject({ status: 'timeout', error: { code: 'E1407' } })
    expect((await project.json(['threads'])).document.threads[0]?.status).toBe('suspended')
  })
})
