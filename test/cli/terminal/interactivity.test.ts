import { describe, expect, test } from 'vitest'

import {
  describeWhyNot,
  interactivityOf,
  type Circumstances,
  type WhyNot,
} from '../../../src/cli/terminal/interactivity.ts'

const terminal: Circumstances = {
  stdinIsTTY: true,
  stderrIsTTY: true,
  env: {},
  hasTerminal: () => true,
}

const silent: readonly (readonly [string, Partial<Circumstances>, WhyNot])[] = [
  ['--no-input is given', { noInput: true }, 'no-input'],
  ['HEXAGON_NO_INPUT is on', { env: { HEXAGON_NO_INPUT: 'yes' } }, 'environment'],
  ['stderr is a file', { stderrIsTTY: false }, 'stderr'],
  [
    'stderr is a file, whatever --interactive says',
    { stderrIsTTY: false, interactive: true },
    'stderr',
  ],
  ['stdin is a pipe', { stdinIsTTY: false }, 'stdin'],
  ['CI is set', { env: { CI: 'true' } }, 'ci'],
  [
    '--interactive finds no terminal',
    { stdinIsTTY: false, interactive: true, hasTerminal: () => false },
    'no-terminal',
  ],
]

describe('whether a person can be asked', () => {
  test('is yes at a terminal', () => {
    expect(interactivityOf(terminal)).toEqual({ kind: 'interactive', input: 'stdin' })
  })

  test.each(silent)('is no when %s', (_, given, why) => {
    expect(interactivityOf({ ...terminal, ...given })).toEqual({ kind: 'silent', why })
    expect(describeWhyNot(why)).not.toBe('')
  })

  test.each(['0', 'false', ''])('is yes with CI=%j', (CI) => {
    expect(interactivityOf({ ...terminal, env: { CI } }).kind).toBe('interactive')
  })

  test('is yes with HEXAGON_NO_INPUT=0', () => {
    expect(interactivityOf({ ...terminal, env: { HEXAGON_NO_INPUT: '0' } }).kind).toBe(
      'interactive',
    )
  })

  test('is yes in CI with --interactive', () => {
    const given = { ...terminal, env: { CI: '1' }, interactive: true }

    expect(interactivityOf(given)).toEqual({ kind: 'interactive', input: 'stdin' })
  })

  test('B76 asks at the terminal itself when stdin carries data and --interactive is given', () => {
    const given = { ...terminal, stdinIsTTY: false, interactive: true }

    expect(interactivityOf(given)).toEqual({ kind: 'interactive', input: 'terminal' })
  })
})
