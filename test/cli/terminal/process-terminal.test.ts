import { PassThrough } from 'node:stream'

import { describe, expect, test } from 'vitest'

import {
  createTerminal,
  type ProcessParts,
  type TerminalOptions,
} from '../../../src/cli/terminal/process-terminal.ts'
import type { Terminal } from '../../../src/cli/terminal/terminal.ts'

interface Streams {
  readonly terminal: Terminal
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  readonly out: () => string
  readonly err: () => string
}

async function create(
  given: TerminalOptions & {
    readonly env?: Readonly<Record<string, string>>
    readonly isTTY?: boolean
  } = {},
): Promise<Streams> {
  const { env = {}, isTTY = false, ...options } = given
  const streams = [new PassThrough(), new PassThrough(), new PassThrough()] as const
  const [stdin, stdout, stderr] = streams
  for (const stream of streams) Object.assign(stream, { isTTY, columns: 72, rows: 30 })
  const parts = { stdin, stdout, stderr, env } as unknown as ProcessParts
  return {
    terminal: await createTerminal(options, parts),
    stdout,
    stderr,
    out: textOf(stdout),
    err: textOf(stderr),
  }
}

function textOf(stream: PassThrough): () => string {
  return () => String(stream.read() ?? '')
}

describe('the terminal of a process', () => {
  test('writes the result to stdout as it is and the rest to stderr', async () => {
    const { terminal, out, err } = await create()

    terminal.stdout('{"a":"\u001b"}\n')
    terminal.stderr('said \u001b[2J')

    expect(out()).toBe('{"a":"\u001b"}\n')
    expect(err()).toBe('said ␛[2J\n')
  })

  test('holds lines while a prompt is open', async () => {
    const { terminal, err } = await create()

    terminal.logs.hold()
    terminal.stderr('later')
    expect(err()).toBe('')
    terminal.logs.release()

    expect(err()).toBe('later\n')
  })

  test('holds the result only where it would be drawn into a prompt', async () => {
    const piped = await create()
    const shown = await create({ isTTY: true })

    for (const { terminal } of [piped, shown]) {
      terminal.logs.hold()
      terminal.stdout('result\n')
    }

    expect(piped.out()).toBe('result\n')
    expect(shown.out()).toBe('')
  })

  test('makes the result safe only where a terminal would obey it', async () => {
    const piped = await create()
    const shown = await create({ isTTY: true })

    for (const { terminal } of [piped, shown]) terminal.stdout('a\u001b[2J\n')

    expect(piped.out()).toBe('a\u001b[2J\n')
    expect(shown.out()).toBe('a␛[2J\n')
  })

  test('B74 survives a reader that goes away', async () => {
    const { terminal, stdout, out } = await create()

    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    terminal.stdout('more')

    expect(terminal.stdoutClosed).toBe(true)
    expect(out()).toBe('')
  })

  test('does not hide a full disk', async () => {
    const { stdout } = await create()
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })

    expect(() => stdout.emit('error', full)).toThrow('no space')
  })

  test('leaves no listener behind', async () => {
    const { terminal, stdout, stderr } = await create()

    terminal.close()

    expect(stdout.listenerCount('error') + stderr.listenerCount('error')).toBe(0)
  })

  test('takes the commands out of what it prints in a GitHub job', async () => {
    const { terminal, err } = await create({ env: { GITHUB_ACTIONS: 'true' } })

    terminal.stderr('::set-env name=A::b ##[error]x')
    terminal.announce('::notice title=Waiting::node:review')

    expect(err()).toBe(': :set-env name=A::b ## [error]x\n::notice title=Waiting::node:review\n')
  })

  test('is as wide as the screen, as COLUMNS says, or as wide as CI logs are read', async () => {
    const columnsOf = async (given: Parameters<typeof create>[0]): Promise<number> =>
      (await create(given)).terminal.err.columns

    expect(await columnsOf({ isTTY: true })).toBe(72)
    expect(await columnsOf({ env: { COLUMNS: '55' } })).toBe(55)
    expect(await columnsOf({ env: { CI: '1' } })).toBe(120)
    expect(await columnsOf({})).toBe(80)
  })

  test('says why nobody can be asked', async () => {
    const { terminal } = await create()

    expect(terminal.interactive).toBe(false)
    expect(terminal.whyNot).toBe('stderr')
  })

  test.each([{ TERM: 'dumb' }, { HEXAGON_PLAIN: '1' }])('is plain with %j', async (env) => {
    const { terminal } = await create({ env })

    expect(terminal.plain).toBe(true)
    expect(terminal.symbols.kind).toBe('ascii')
  })
})
