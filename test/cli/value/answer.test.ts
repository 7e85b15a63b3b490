import { describe, expect, test } from 'vitest'

import { readAnswer } from '../../../src/cli/value/answer.ts'
import { rawText, readData, type DataInput } from '../../../src/cli/value/given.ts'
import { isHexagonError } from '../../../src/core/errors.ts'
import type { Interrupt } from '../../../src/core/interrupt.ts'
import { choices, question } from '../../support/question.ts'

const noInput: DataInput = {
  readFile: () => Promise.reject(new Error('no file in this test')),
  readStandardInput: () => Promise.reject(new Error('no standard input in this test')),
}

async function answer(asked: Interrupt, ...data: string[]): Promise<unknown> {
  return readAnswer(asked, await readData(data, noInput), { input: noInput })
}

/** Code, message and hint of the refusal, in one text. */
async function refusal(reading: Promise<unknown>): Promise<string> {
  try {
    await reading
  } catch (error) {
    if (isHexagonError(error)) return `${error.code} ${error.message} | ${error.hint ?? ''}`
    throw error
  }
  return 'accepted'
}

const approval = question({ kind: 'approval' })
const input = question({ kind: 'input' })
const custom = question({ kind: 'custom' })
const choice = question({
  kind: 'choice',
  choices: choices('staging-eu', 'staging-us', 'production'),
})
const form = question({
  kind: 'form',
  schema: {
    type: 'object',
    properties: {
      version: { type: 'string' },
      percent: { type: 'integer', minimum: 1, maximum: 100 },
      env: { enum: ['staging', 'production'] },
    },
    required: ['version', 'percent'],
  },
})

describe('an approval', () => {
  test.each([
    ['true', true],
    ['YES', true],
    ['y', true],
    ['Approve', true],
    ['approved', true],
    ['"yes"', true],
    ['false', false],
    ['no', false],
    ['N', false],
    ['reject', false],
    ['rejected', false],
  ])('reads %s as %s', async (text, expected) => {
    expect(await answer(approval, text)).toBe(expected)
  })

  test.each(['maybe', '', '1', '0', 'null', '[]', 'ja', ' yes', 'yes!', '"true "', 'a=b'])(
    'E1201: does not read %j',
    async (text) => {
      expect(await refusal(answer(approval, text))).toMatch(/^E1201 .* is not an approval/)
    },
  )

  test('B92 keeps a reason given as a field', async () => {
    expect(await answer(approval, '{"approved":false,"reason":"not today"}')).toEqual({
      approved: false,
      reason: 'not today',
    })
  })

  test('takes --reason beside the value', async () => {
    const given = await readData(['no'], noInput)
    expect(await readAnswer(approval, given, { input: noInput, reason: 'later' })).toEqual({
      approved: false,
      reason: 'later',
    })
  })

  test('B95 refuses an unknown field and names the near one', async () => {
    expect(await refusal(answer(approval, '{"approved":true,"reasn":"x"}'))).toMatch(
      /^E1207 "reasn" is not a field \| Did you mean "reason"\?/,
    )
  })

  test('refuses a decision that is not a boolean', async () => {
    expect(await refusal(answer(approval, '{"approved":"true"}'))).toMatch(
      /^E1208 approved must be/,
    )
    expect(await refusal(answer(approval, '{"reason":"x"}'))).toMatch(/^E1213 Missing: approved/)
  })
})

describe('a choice', () => {
  test.each([
    ['production', 'production'],
    ['"production"', 'production'],
    ['#2', 'staging-us'],
  ])('reads %s as %s', async (text, expected) => {
    expect(await answer(choice, text)).toBe(expected)
  })

  test.each(['stagin-eu', 'Production', 'production ', 'prod', '#0', '#4', '', 'null', '0'])(
    'B91 E1202: refuses %j',
    async (text) => {
      expect(await refusal(answer(choice, text))).toMatch(/^E1202 .* is not one of the options/)
    },
  )

  test('E1202 suggests the near option and the exact command', async () => {
    expect(await refusal(answer(choice, 'stagin-eu'))).toBe(
      'E1202 "stagin-eu" is not one of the options of node:ask | ' +
        'Did you mean "staging-eu"?  Options: staging-eu, staging-us, production\n' +
        'hexagon resume i_0000000001 --choose staging-eu',
    )
  })

  test('E1202 shows only the five nearest of many options', async () => {
    const many = question({
      kind: 'choice',
      choices: choices(...Array.from({ length: 10_000 }, (_, index) => `customer-${index}`)),
    })
    const text = await refusal(answer(many, 'customer-777x'))
    expect(text).toContain('Nearest of 10,000 options: ')
    expect(text).toContain('customer-777,')
    expect(text.length).toBeLessThan(400)
  })

  test('B91 tells a number from the text of it', async () => {
    const numbers = question({
      kind: 'choice',
      choices: [
        { name: 'one', value: 1 },
        { name: '2', value: 'two' },
        { name: 'three', value: '3' },
      ],
    })
    expect(await answer(numbers, '1')).toBe(1)
    expect(await answer(numbers, '2')).toBe('two')
    expect(await answer(numbers, '3')).toBe('3')
    expect(await refusal(answer(numbers, '"1"'))).toMatch(/^E1202/)
  })

  test('reads an object value whatever the order of its fields', async () => {
    const objects = question({ kind: 'choice', choices: [{ name: 'a', value: { x: 1, y: 2 } }] })
    expect(await answer(objects, '{"y":2,"x":1}')).toEqual({ x: 1, y: 2 })
  })

  test('E1202: an option text that stands twice is refused with its numbers', async () => {
    const twice = question({
      kind: 'choice',
      choices: [
        { name: 'same', value: 1 },
        { name: 'other', value: 2 },
        { name: 'same', value: 3 },
      ],
    })
    expect(await refusal(answer(twice, 'same'))).toMatch(/^E1202 "same" names 2 options.*#1, #3/)
    expect(await answer(twice, '#3')).toBe(3)
  })
})

describe('an input', () => {
  test.each([
    ['hello world', 'hello world'],
    ['42', '42'],
    ['true', 'true'],
    ['null', 'null'],
    ['"quoted"', 'quoted'],
    ['', ''],
    ['""', ''],
    ['a=b', 'a=b'],
    ['a:=1', 'a:=1'],
    ['[1]', '[1]'],
    ['@@x', '@x'],
    ['"null"', 'null'],
  ])('reads %j as %j', async (text, expected) => {
    expect(await answer(input, text)).toBe(expected)
  })

  test('--data-raw keeps the quotes', async () => {
    expect(await readAnswer(input, [rawText('"q"')], { input: noInput })).toBe('"q"')
  })

  test('E1206: takes one value', async () => {
    expect(await refusal(answer(input, 'a', 'b'))).toMatch(/^E1206 node:ask takes one value, got 2/)
  })
})

describe('a structured question', () => {
  test.each([
    ['false', false],
    ['0', 0],
    ['""', ''],
    ['null', null],
    ['[]', []],
    ['{}', {}],
    ['"null"', 'null'],
    ['plain text', 'plain text'],
    ['-1', -1],
  ])('B37 reads %s as exactly that', async (text, expected) => {
    expect(await answer(custom, text)).toEqual(expected)
  })

  test('puts pairs together, nested and in lists', async () => {
    expect(
      await answer(
        custom,
        'name=ann',
        'age:=42',
        'a.b[0]=x',
        'a.b[1].c:={"d":null}',
        'tags[]=one',
        'tags[]=two',
        'flag:=true',
        'text=true',
        'at=@@home',
        'empty=',
      ),
    ).toEqual({
      name: 'ann',
      age: 42,
      a: { b: ['x', { c: { d: null } }] },
      tags: ['one', 'two'],
      flag: true,
      text: 'true',
      at: '@home',
      empty: '',
    })
  })

  test.each([
    [['a=1', '{"b":2}'], /^E1206 Give either one JSON value or key=value pairs/],
    [['{"a":1}', '{"b":2}'], /^E1206/],
    [['a=1', 'a=2'], /^E1206 a is given twice/],
    [['a=1', 'a.b=2'], /^E1208 a.b contradicts/],
    [['a[1]=x'], /^E1208 a\[0\] is missing/],
    [['a[20000]=x'], /^E1208 a\[20000\]: 20000 is beyond/],
    [['a:=nope'], /^E1211 a:= is not JSON: line 1, column 1: Expected a value/],
    [['__proto__.isAdmin:=true'], /^E1209 "__proto__" cannot be used as a field name/],
    [['a.constructor=1'], /^E1209 "constructor"/],
    [['prototype[0]=1'], /^E1209 "prototype"/],
    [
      [Array.from({ length: 70 }, () => 'a').join('.') + '=1'],
      /^E1210 The value has more than 64 levels/,
    ],
  ])('refuses %j', async (data, expected) => {
    expect(await refusal(answer(custom, ...data))).toMatch(expected)
  })

  test('O08 keeps __proto__ in JSON as data of its own', async () => {
    const value = await answer(custom, '{"__proto__":{"isAdmin":true}}')
    expect(value).not.toHaveProperty('isAdmin')
    expect(JSON.stringify(value)).toBe('{"__proto__":{"isAdmin":true}}')
  })

  test('checks fields against the schema', async () => {
    expect(await answer(form, 'version=1.9', 'percent:=25', 'env=staging')).toEqual({
      version: '1.9',
      percent: 25,
      env: 'staging',
    })
  })

  test.each([
    [
      ['versoin=1', 'percent:=2'],
      'E1207 "versoin" is not a field | Did you mean "version"? Fields: version, percent, env',
    ],
    [
      ['version=1', 'percent=25'],
      'E1208 percent must be an integer from 1 to 100, got "25" (text) | Write percent:=25',
    ],
    [['version:=1', 'percent:=2'], 'E1208 version must be text, got 1 | Write version=1 for text.'],
    [['version=1', 'percent:=0'], /^E1208 percent must be an integer from 1 to 100, got 0/],
    [
      ['version=1', 'percent:=2', 'env=dev'],
      /^E1208 env must be one of "staging", "production", got "dev"/,
    ],
    [
      ['{"env":"staging"}'],
      'E1213 Missing: version, percent | Add: --data version=… --data percent=…',
    ],
    [['just text'], /^E1208 The value must be an object, got "just text" \(text\)/],
    [['a..b=1'], /^E1207 "a..b" is not a field/],
  ])('refuses %j', async (data, expected) => {
    expect(await refusal(answer(form, ...data))).toMatch(expected)
  })
})

test('E1218: --reason goes only with approvals', async () => {
  for (const asked of [choice, input, form, custom]) {
    const reading = readAnswer(asked, [rawText('production')], { input: noInput, reason: 'x' })
    expect(await refusal(reading)).toMatch(/^E1218 --reason goes only with approvals/)
  }
})

test('a breakpoint takes no value', async () => {
  expect(await refusal(answer(question({ kind: 'breakpoint' }), 'true'))).toMatch(
    /^E1206 .* is a breakpoint: it takes no value/,
  )
})
