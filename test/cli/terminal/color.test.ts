import { describe, expect, test } from 'vitest'

import { colorLevel, createPaint, type ColorChoice } from '../../../src/cli/terminal/color.ts'

type Case = readonly [
  name: string,
  isTTY: boolean,
  env: Readonly<Record<string, string>>,
  choice: ColorChoice,
  level: number,
]

const cases: readonly Case[] = [
  ['a terminal has colours', true, { TERM: 'xterm' }, 'auto', 1],
  ['a terminal with 256', true, { TERM: 'xterm-256color' }, 'auto', 2],
  ['a terminal with all', true, { TERM: 'xterm', COLORTERM: 'truecolor' }, 'auto', 3],
  ['a pipe has none', false, { TERM: 'xterm' }, 'auto', 0],
  ['TERM=dumb has none', true, { TERM: 'dumb' }, 'auto', 0],
  ['NO_COLOR turns them off', true, { TERM: 'xterm', NO_COLOR: '1' }, 'auto', 0],
  ['an empty NO_COLOR does not', true, { TERM: 'xterm', NO_COLOR: '' }, 'auto', 1],
  ['NO_COLOR wins over FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'auto', 0],
  ['FORCE_COLOR colours a pipe', false, { FORCE_COLOR: '1' }, 'auto', 1],
  ['FORCE_COLOR=3 says how many', false, { FORCE_COLOR: '3' }, 'auto', 3],
  ['FORCE_COLOR=0 turns them off', true, { TERM: 'xterm', FORCE_COLOR: '0' }, 'auto', 0],
  [
    'FORCE_COLOR=0 wins over CLICOLOR_FORCE',
    false,
    { FORCE_COLOR: 'false', CLICOLOR_FORCE: '1' },
    'auto',
    0,
  ],
  ['CLICOLOR_FORCE colours a pipe', false, { CLICOLOR_FORCE: '1' }, 'auto', 1],
  ['CLICOLOR_FORCE wins over TERM=dumb', true, { CLICOLOR_FORCE: '1', TERM: 'dumb' }, 'auto', 1],
  ['--color=always wins over NO_COLOR', false, { NO_COLOR: '1' }, 'always', 1],
  ['--color=never wins over FORCE_COLOR', true, { FORCE_COLOR: '1', TERM: 'xterm' }, 'never', 0],
]

describe('colours of a stream', () => {
  test.each(cases)('%s', (...[, isTTY, env, choice, level]) => {
    expect(colorLevel(isTTY, env, choice)).toBe(level)
  })

  test('are drawn by their level', async () => {
    expect((await createPaint(1)).red('no')).toBe('\u001b[31mno\u001b[39m')
    expect((await createPaint(0)).red('no')).toBe('no')
  })
})
