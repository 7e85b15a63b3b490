import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { Runner, type RunResult } from 'hexagon'
import { fileStore, memoryStore } from 'hexagon/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import expenses from '../../flows/expenses.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hexagon-expenses-'))
  file = join(folder, 'claims.csv')
  copyFileSync(resolve(import.meta.dirname, '../../flows/expenses.csv'), file)
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('the expenses flow', () => {
  test('asks about the lines over the limit, and about no other', async () => {
    const result = await runner().invoke(expenses, { file })

    expect(result.status).toBe('suspended')
    expect(result.interrupts.map(({ message }) => message)).toEqual([
      'Pay E-104, 1249.00?',
      'Pay E-105, 412.75?',
      'Pay E-107, 318.00?',
      'Pay E-109, 780.00?',
      'Pay E-112, 231.35?',
    ])
  })

  test('shows the whole claim', async () => {
    const { interrupts } = await runner().invoke(expenses, { file })

    expect(interrupts[0]).toMatchObject({
      key: 'node:review:E-104',
      payload: { person: 'Li Wei', category: 'Hardware', note: 'Laptop, replaces 2021 model' },
    })
  })

  test('takes the answers one at a time, in any order, in other runners', async () => {
    const store = fileStore(join(folder, 'store'))
    const started = await new Runner({ store }).invoke(expenses, { file })
    const ids = started.interrupts.map(({ id }) => id).toReversed()

    let last: RunResult = started
    for (const [index, id] of ids.entries()) {
      const value = index === 0 ? { approved: false, reason: 'Fly earlier, "cheap"' } : true
      const next = new Runner({ store, flows: [expenses] })
      last = await next.resume(started.threadId, { answers: { [id]: value } }).result
    }

    expect(last).toMatchObject({
      status: 'completed',
      output: { claims: 12, asked: 5, pay: '3213.80', refuse: '231.35' },
    })
    expect(decided().at(-1)).toBe(
      'E-112,2026-10-27,Li Wei,Travel,231.35,Flight change fee,rejected,"Fly earlier, ""cheap"""',
    )
  })

  test('writes the lines in the order of the file, once everything is decided', async () => {
    const here = runner()
    const { threadId, interrupts } = await here.invoke(expenses, { file })
    expect(readdirSync(folder)).toEqual(['claims.csv'])

    await here.resume(threadId, { answers: Object.fromEntries(interrupts.map(yes)) }).result

    expect(readdirSync(folder).toSorted()).toEqual(['claims.csv', 'claims.decided.csv'])
    expect(decided().map((line) => line.slice(0, 5))).toEqual([
      'id,da',
      ...Array.from({ length: 12 }, (_, index) => `E-${101 + index}`),
    ])
    expect(decided()[1]).toBe(
      'E-101,2026-10-02,Amara Diallo,Travel,184.60,"Train Hamburg–Munich, return",within limit,',
    )
  })

  test('asks nobody when every line is within the limit', async () => {
    const result = await runner().invoke(expenses, { file, limit: 2000 })

    expect(result).toMatchObject({ status: 'completed', output: { asked: 0, refuse: '0.00' } })
  })

  test('counts cents, not fractions of them', async () => {
    writeFileSync(file, 'id,amount\r\na,0.10\r\nb,0.20\r\nc,1.15\r\n')

    const result = await runner().invoke(expenses, { file, limit: 1.15 })

    expect(result).toMatchObject({ status: 'completed', output: { asked: 0, pay: '1.45' } })
  })

  test.each([
    ['id,amount\na,12\na,13\n', 'id "a" is empty or used twice'],
    ['id,amount\na,12,4\n', '3 fields, the header has 2'],
    ['id,amount\na,1e9\n', '"1e9" is not an amount like 12.50'],
    ['id,amount\na,-3\n', '"-3" is not an amount like 12.50'],
    ['id,amount\na,"12\n', 'Not CSV'],
    ['id,sum\na,12\n', 'no column "amount"; it has id, sum'],
    ['id,amount\n', 'has no claims'],
    ['', 'no column "id"'],
  ])('refuses %j and says why', async (text, problem) => {
    writeFileSync(file, text)

    const { status, error } = await runner().invoke(expenses, { file })

    expect(status).toBe('failed')
    expect(error?.message).toContain(problem)
  })

  test('names a file that is not there', async () => {
    const { error } = await runner().invoke(expenses, { file: join(folder, 'nope.csv') })

    expect(error?.message).toContain('nope.csv')
  })
})

function runner(): Runner {
  return new Runner({ store: memoryStore(), flows: [expenses] })
}

function yes({ id }: { readonly id: string }): [string, boolean] {
  return [id, true]
}

function decided(): string[] {
  return readFileSync(join(folder, 'claims.decided.csv'), 'utf8').trimEnd().split('\n')
}
