import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

import { check, isSchema, jsonSchemaOf } from '../../src/core/schema.ts'
import type { Infer, Schema } from '../../src/index.ts'

/** A hand-written Standard Schema of even numbers. */
const even: Schema<number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value === 'number' && value % 2 === 0
        ? { value }
        : { issues: [{ message: 'odd', path: ['list', 0, { key: 'n' }] }] },
  },
}

describe('schemas', () => {
  test('a schema gives its value, transformed', async () => {
    const schema = z.object({ n: z.coerce.number(), at: z.string().default('now') })

    expect(await check(schema, { n: '3' })).toEqual({ ok: true, value: { n: 3, at: 'now' } })
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{ n: number; at: string }>()
    expectTypeOf<Infer<string>>().toEqualTypeOf<never>()
  })

  test('a schema gives every problem with its path', async () => {
    const schema = z.object({ a: z.object({ b: z.array(z.number()) }), c: z.string() })
    const checked = await check(schema, { a: { b: [1, 'x'] } })

    expect(checked.ok).toBe(false)
    expect(checked.ok ? [] : checked.problems.map(({ path }) => path)).toEqual(['a.b[1]', 'c'])
  })

  test('paths may hold keys as objects', async () => {
    expect(await check(even, 3)).toEqual({
      ok: false,
      problems: [{ path: 'list[0].n', message: 'odd' }],
    })
    expect(await check(even, 4)).toEqual({ ok: true, value: 4 })
  })

  test('an async schema is awaited', async () => {
    const schema = z.string().refine(async (text) => text === 'ok', 'not ok')

    expect(await check(schema, 'ok')).toEqual({ ok: true, value: 'ok' })
    expect(await check(schema, 'no')).toEqual({
      ok: false,
      problems: [{ path: '', message: 'not ok' }],
    })
  })

  test('a schema is recognised by its property', () => {
    expect(isSchema(even)).toBe(true)
    expect(isSchema(z.string())).toBe(true)
    for (const value of [{}, null, undefined, 'x', { standard: 1 }])
      expect(isSchema(value)).toBe(false)
  })

  test('JSON Schema is told when the library can tell', () => {
    expect(jsonSchemaOf(z.object({ a: z.number() }))).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' } },
    })
    expect(jsonSchemaOf(even)).toBeUndefined()
    expect(jsonSchemaOf(z.object({ f: z.date() }))).toBeUndefined()
  })
})
