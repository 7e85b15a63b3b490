import { expect, test } from 'vitest'

import { shownOptions } from '../../../src/cli/prompt/option-list.ts'

test('a line break in a name makes no line that looks like another option', () => {
  const names = ['keep\n  delete everything', 'keep\r\n❯ all', 'keep']
  const shown = shownOptions(
    names.map((name, value) => ({ name, value })),
    80,
  )

  expect(shown.map(({ name }) => name)).toEqual(['keep delete everything', 'keep ❯ all', 'keep'])
  expect(shown.map(({ short }) => short)).toEqual(shown.map(({ name }) => name))
})
