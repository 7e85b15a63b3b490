import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { parseCommandLine } from '../../src/cli/parse.ts'
import { readPlainLine } from '../../src/cli/plain-line.ts'
import { commands } from '../../src/cli/spec/catalog.ts'
import { globalOptions } from '../../src/cli/spec/option-groups.ts'

const names = commands.flatMap(({ name, alias = name }) => [name, alias])
const flags = commands
  .flatMap(({ groups }) => groups.flatMap((group) => group.options))
  .concat(globalOptions)
  .flatMap((option) => option.flags.match(/--?[\w-]+/gu) ?? [])
const other = ['a', 'help', 'run', '', '-', '--', '-q', '--json=x', '--data=1', '--help', '-V', '3']

describe('a plain command line', () => {
  test('is read as the parser reads it, whatever its words', () => {
    const word = fc.oneof(
      fc.constantFrom(...flags),
      fc.constantFrom(...other),
      fc.string({ maxLength: 3 }),
    )
    const words = fc.tuple(fc.constantFrom(...names), fc.array(word, { maxLength: 5 }))

    fc.assert(
      fc.property(words, ([name, rest]) => {
        const line = [name, ...rest]
        const plain = readPlainLine(line)
        const parsed = plain === undefined ? undefined : parseCommandLine(line)
        expect(plain).toEqual(parsed)
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    [['pending']],
    [['ls', '--json']],
    [['run', 'flows/hello.ts', '--json', '--thread', 't1']],
    [['resume', 't1', '--approve', '--no-input', '--data-raw', 'x']],
    [['run', 'hello', '--data', 'n=1']],
  ])('is %j', (line) => {
    const plain = readPlainLine(line)

    expect(plain).toEqual(parseCommandLine(line))
    expect(plain).toMatchObject({ kind: 'command' })
  })

  test.each([
    [[]],
    [['--json', 'pending']],
    [['pending', '-q']],
    [['pending', '--limit', '3']],
    [['pending', '--output=json']],
    [['pending', '--', '--json']],
    [['pending', 'a', 'b']],
    [['threads', 'a']],
    [['run', 'hello', '--data', '-q']],
    [['run', 'hello', '--data', 'a', '--data', 'b']],
    [['pending', '--wrong']],
    [['help', 'run']],
  ])('is not %j', (line) => {
    expect(readPlainLine(line)).toBeUndefined()
  })
})
