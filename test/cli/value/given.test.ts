import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { array, assert, constantFrom, json, property } from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

import { readData } from '../../../src/cli/value/given.ts'
import { findJsonFault } from '../../../src/cli/value/json-fault.ts'
import { nodeInput } from '../../../src/cli/value/node-input.ts'
import { isPair, readPair } from '../../../src/cli/value/pair.ts'
import { isHexagonError } from '../../../src/core/errors.ts'

const directory = mkdtempSync(join(tmpdir(), 'hexagon-data-'))
afterAll(() => rmSync(directory, { recursive: true }))

function inputWith(text: string | Uint8Array = '', isTTY = false) {
  const stdin = Object.assign(Readable.from([text], { objectMode: false }), { isTTY })
  return nodeInput({ directory, stdin })
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(directory, name), content)
  return `@${name}`
}

async function read(argument: string, input = inputWith()) {
  const [given] = await readData([argument], input)
  return given
}

async function refusal(reading: Promise<unknown>): Promise<string> {
  try {
    await reading
  } catch (error) {
    if (isHexagonError(error)) return `${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('@file', () => {
  test('a .json file is JSON', async () => {
    expect(await read(file('a.json', '{"a":[1]}\n'))).toMatchObject({ json: { value: { a: [1] } } })
  })

  test('a .jsonl file is a list of its lines', async () => {
    expect(await read(file('a.jsonl', '{"a":1}\n\n2\n'))).toMatchObject({
      json: { value: [{ a: 1 }, 2] },
    })
  })

  test('any other file is text without its byte order mark and one final newline', async () => {
    expect(await read(file('a.txt', '\ufeffline one\nline 二\n\n'))).toEqual({
      origin: 'file',
      text: 'line one\nline 二\n',
    })
  })

  test('E1204: says why a file cannot be read', async () => {
    expect(await refusal(read('@nope.json'))).toBe('E1204 Cannot read nope.json: no such file')
    expect(await refusal(read('@.'))).toBe('E1204 Cannot read .: it is a directory')
  })

  test('E1210: refuses more than 10 MB', async () => {
    const big = file('big.txt', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'))
    expect(await refusal(read(big))).toMatch(/^E1210 The value has 10\.\d MB; the limit is 10 MB/)
  })

  test('E1210: refuses more than 64 levels', async () => {
    expect(await refusal(read(levels(64)))).toBe('accepted')
    expect(await refusal(read(file('deep.json', levels(70))))).toMatch(/^E1210/)
    expect(await refusal(read(file('deeper.json', levels(200_000))))).toMatch(/^E1210/)
  })

  test('E1211: says where a file stops being JSON', async () => {
    expect(await refusal(read(file('bad.json', '{\n  "a": 1,\n  "b" 2\n}')))).toBe(
      "E1211 bad.json is not JSON: line 3, column 7: Expected ':'",
    )
    expect(await refusal(read(file('bad.jsonl', '1\n2\n[3\n')))).toBe(
      "E1211 bad.jsonl is not JSON: line 3, column 3: Expected ',' or ']'",
    )
  })

  test('E1212: refuses what is not UTF-8', async () => {
    expect(await refusal(read(file('latin.txt', new Uint8Array([0x66, 0xfc, 0x72]))))).toBe(
      'E1212 latin.txt is not UTF-8',
    )
  })
})

describe('standard input', () => {
  test('is JSON when it parses, else text', async () => {
    expect(await read('-', inputWith('{"ok":true}\n'))).toMatchObject({
      json: { value: { ok: true } },
    })
    expect(await read('@-', inputWith('some text\n'))).toEqual({
      origin: 'input',
      text: 'some text',
    })
  })

  test('E1205: is refused at a terminal', async () => {
    expect(await refusal(read('-', inputWith('', true)))).toMatch(/^E1205 .*that is a terminal/)
  })

  test('E1216: is refused when empty', async () => {
    expect(await refusal(read('-', inputWith('')))).toMatch(/^E1216 --data - got nothing/)
  })

  test('E1006: is read only once', async () => {
    expect(await refusal(readData(['-', '-'], inputWith('1')))).toMatch(/^E1006/)
  })
})

describe('pairs', () => {
  test('take values from files, as text or JSON', async () => {
    file('note.txt', '42\n')
    file('list.json', '[1,2]')
    const input = inputWith()
    expect(await readPair('a=@note.txt', input)).toMatchObject({ value: '42' })
    expect(await readPair('a:=@note.txt', input)).toMatchObject({ value: 42 })
    expect(await readPair('a:=@list.json', input)).toMatchObject({ value: [1, 2] })
  })

  test.each(['a=b', 'a:=1', 'a.b[0]=', 'tags[]=x', '流.x=1', '--x=1', 'a-b=c'])(
    '%j is one',
    (text) => {
      expect(isPair(text)).toBe(true)
    },
  )

  test.each([
    'hello world=1',
    'http://x?a=b',
    '=b',
    'a..b=1',
    'a[x]=1',
    '"a"=1',
    '{"a":"b=c"}',
    'plain',
  ])('%j is none', (text) => {
    expect(isPair(text)).toBe(false)
  })
})

describe('a place where JSON ends', () => {
  test('is found exactly when the engine refuses the text', () => {
    const pieces = constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0.5e3',
      'true',
      'nul',
      ' ',
      '\n',
      '"',
      '\\',
    )
    assert(
      property(array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        expect(findJsonFault(text) === undefined).toBe(parses(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('is never found in what was written as JSON', () => {
    assert(
      property(json(), (text) => {
        expect(findJsonFault(text)).toBeUndefined()
      }),
    )
  })

  test('is found in a very long text', () => {
    expect(findJsonFault(`["${'x'.repeat(5_000_000)}"`)).toEqual({
      line: 1,
      column: 5_000_004,
      problem: "Expected ',' or ']'",
    })
  })
})

function levels(count: number): string {
  return '['.repeat(count) + ']'.repeat(count)
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
