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

function create(
  given: TerminalOptions & {
    readonly env?: Readonly<Record<string, string>>
    readonly isTTY?: boolean
  } = {},
): Streams {
  const { env = {}, isTTY = false, ...options } = given
  const streams = [new PassThrough(), new PassThrough(), new PassThrough()] as const
  const [stdin, stdout, stderr] = streams
  for (const stream of streams) Object.assign(stream, { isTTY, columns: 72, rows: 30 })
  const parts = { stdin, stdout, stderr, env } as unknown as ProcessParts
  return {
    terminal: createTerminal(options, parts),
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
  test('writes the result to stdout as it is and the rest to stderr', () => {
    const { terminal, out, err } = create()

    terminal.stdout('{"a":"\u001b"}\n')
    terminal.stderr('said \u001b[2J')

    expect(out()).toBe('{"a":"\u001b"}\n')
    expect(err()).toBe('said ␛[2J\n')
  })

  test('holds lines while a prompt is open', () => {
    const { terminal, err } = create()

    terminal.logs.hold()
    terminal.stderr('later')
    expect(err()).toBe('')
    terminal.logs.release()

    expect(err()).toBe('later\n')
  })

  test('holds the result only where it would be drawn into a prompt', () => {
    const piped = create()
    const shown = create({ isTTY: true })

    for (const { terminal } of [piped, shown]) {
      terminal.logs.hold()
      terminal.stdout('result\n')
    }

    expect(piped.out()).toBe('result\n')
    expect(shown.out()).toBe('')
  })

  test('makes the result safe only where a terminal would obey it', () => {
    const piped = create()
    const shown = create({ isTTY: true })

    for (const { terminal } of [piped, shown]) terminal.stdout('a\u001b[2J\n')

    expect(piped.out()).toBe('a\u001b[2J\n')
    expect(shown.out()).toBe('a␛[2J\n')
  })

  test('B74 survives a reader that goes away', () => {
    const { terminal, stdout, out } = create()

    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    terminal.stdout('more')

    expect(terminal.stdoutClosed).toBe(true)
    expect(out()).toBe('')
  })

  test('does not hide a full disk', () => {
    const { stdout } = create()
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })

    expect(() => stdout.emit('error', full)).toThrow('no space')
  })

  test('leaves no listener behind', () => {
    const { terminal, stdout, stderr } = create()

    terminal.close()

    expect(stdout.listenerCount('error') + stderr.listenerCount('error')).toBe(0)
  })

  test('takes the commands out of what it prints in a GitHub job', () => {
    const { terminal, err } = create({ env: { GITHUB_ACTIONS: 'true' } })

    terminal.stderr('::set-env name=A::b ##[error]x')
    terminal.announce('::notice title=Waiting::node:review')

    expect(err()).toBe(': :set-env name=A::b ## [error]x\n::notice title=Waiting::node:review\n')
  })

  test('is as wide as the screen, as COLUMNS says, or as wide as CI logs are read', () => {
    expect(create({ isTTY: true }).terminal.err.columns).toBe(72)
    expect(create({ env: { COLUMNS: '55' } }).terminal.err.columns).toBe(55)
    expect(create({ env: { CI: '1' } }).terminal.err.columns).toBe(120)
    expect(create().terminal.err.columns).toBe(80)
  })

  test('says why nobody can be asked', () => {
    const { terminal } = create()

    expect(terminal.interactive).toBe(false)
    expect(terminal.whyNot).toBe('stderr')
  })

  test.each([{ TERM: 'dumb' }, { HEXAGON_PLAIN: '1' }])('is plain with %j', (env) => {
    const { terminal } = create({ env })

    expect(terminal.plain).toBe(true)
    expect(terminal.symbols.kind).toBe('ascii')
  })
})
