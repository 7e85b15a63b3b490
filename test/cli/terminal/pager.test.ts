import { expect, test } from 'vitest'

import { editorCommand } from '../../../src/cli/terminal/editor.ts'
import { pagerCommand } from '../../../src/cli/terminal/pager.ts'

test.each([
  [{}, 'less -FIX'],
  [{ LESS: '-i' }, 'less'],
  [{ PAGER: 'more' }, 'more'],
  [{ PAGER: 'less -S' }, 'less -FIX -S'],
  [{ HEXAGON_PAGER: 'most', PAGER: 'more' }, 'most'],
  [{ PAGER: 'cat' }, undefined],
  [{ HEXAGON_PAGER: '' }, undefined],
])('the pager for %j is %j', (env, command) => {
  expect(pagerCommand(env)).toBe(command)
})

test('there is no pager with --no-pager', () => {
  expect(pagerCommand({}, true)).toBeUndefined()
})

test.each([
  [{ HEXAGON_EDITOR: 'a', VISUAL: 'b', EDITOR: 'c' }, 'a'],
  [{ VISUAL: 'b', EDITOR: 'c' }, 'configured'],
  [{}, 'configured'],
])('the editor for %j with one configured is %s', (env, command) => {
  expect(editorCommand(env, 'configured')).toBe(command)
})

test.each([
  [{ VISUAL: 'b', EDITOR: 'c' }, 'b'],
  [{ VISUAL: ' ', EDITOR: 'c' }, 'c'],
])('the editor for %j is %s', (env, command) => {
  expect(editorCommand(env)).toBe(command)
})
