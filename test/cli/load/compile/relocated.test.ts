import { describe, expect, test } from 'vitest'

import type { ImportRecord } from '../../../../src/cli/load/compile/import-record.ts'
import { relocate, type Replacement } from '../../../../src/cli/load/compile/relocated.ts'

const record = (specifier: string, kind: ImportRecord['kind'] = 'static'): ImportRecord => ({
  specifier,
  kind,
  attribute: undefined,
})

/** The code alone: what its map says is held in shifted-map.test.ts. */
function moved(
  code: string,
  records: readonly ImportRecord[],
  replacements: ReadonlyMap<string, Replacement>,
): string | undefined {
  return relocate({ code, map: '{"mappings":""}' }, records, replacements)?.code
}

const to = (specifier: string): { specifier: string; dropsAttribute: boolean } => ({
  specifier,
  dropsAttribute: false,
})

describe('imports sent elsewhere', () => {
  test.each([
    ['import a from"./x";', 'import a from"./y";'],
    ['import"./x";', 'import"./y";'],
    ['import*as a from"./x";', 'import*as a from"./y";'],
    ['export*from"./x";', 'export*from"./y";'],
    ['export{a}from"./x";', 'export{a}from"./y";'],
  ])('%s', (code, expected) => {
    expect(moved(code, [record('./x')], new Map([['./x', to('./y')]]))).toBe(expected)
  })

  test('may be dynamic, and there more than once', () => {
    const records = [record('./x', 'dynamic'), record('./x'), record('./x', 'dynamic')]
    const code = 'import"./x";import("./x");import("./x").then(f);'

    expect(moved(code, records, new Map([['./x', to('./y')]]))).toBe(
      'import"./y";import("./y");import("./y").then(f);',
    )
  })

  test('leave the others alone', () => {
    const code = 'import"./x";import"fs";'

    expect(moved(code, [record('./x'), record('fs')], new Map([['./x', to('./y')]]))).toBe(
      'import"./y";import"fs";',
    )
  })

  test('lose an attribute that no longer fits', () => {
    const code = 'import a from"./x.json"with{type:"json"};'
    const lost = new Map([['./x.json', { specifier: './x.mjs', dropsAttribute: true }]])

    expect(moved(code, [record('./x.json')], lost)).toBe('import a from"./x.mjs";')
    expect(moved(code, [record('./x.json')], new Map([['./x.json', to('file:///x.json')]]))).toBe(
      'import a from"file:///x.json"with{type:"json"};',
    )
  })

  test('may look like patterns', () => {
    const code = 'import"./$x";'

    expect(moved(code, [record('./$x')], new Map([['./$x', to('./$&')]]))).toBe('import"./$&";')
  })

  test.each([
    ['there is text that looks the same', 'import"./x";a=\'from"./x"\';', [record('./x')]],
    ['one of them is written in another way', "import './x';", [record('./x')]],
    ['one of them is missing', 'import"./x";', [record('./x'), record('./x')]],
  ])('are not touched when %s', (_why, code, records) => {
    expect(moved(code, records, new Map([['./x', to('./y')]]))).toBeUndefined()
  })
})
