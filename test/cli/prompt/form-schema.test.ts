import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { formShape, type Field } from '../../../src/cli/prompt/form-schema.ts'

function fieldsOf(schema: unknown): readonly Field[] {
  const shape = formShape(schema, 'Answer')
  return shape.type === 'object' ? shape.fields : [shape.field]
}

function kinds(schema: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(fieldsOf(schema).map(({ name, kind }) => [name, kind.type]))
}

describe('the fields of a schema', () => {
  test('have the kind that suits them', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        key: { type: 'string', writeOnly: true },
        share: { type: 'number' },
        on: { type: 'boolean' },
        env: { enum: ['a', 'b'] },
        notify: { type: 'array', items: { type: 'string', enum: ['x'] } },
        tags: { type: 'array', items: { type: 'string' } },
        nested: { type: 'object', properties: {} },
        anything: {},
      },
    }

    expect(kinds(schema)).toEqual({
      name: 'text',
      key: 'secret',
      share: 'number',
      on: 'boolean',
      env: 'one',
      notify: 'many',
      tags: 'json',
      nested: 'json',
      anything: 'json',
    })
  })

  test('are those of a zod object', () => {
    const schema = z.toJSONSchema(
      z.object({
        version: z.string().regex(/^\d+$/u).describe('The version'),
        percent: z.int().min(1).max(100).default(25),
        env: z.enum(['staging', 'production']).optional(),
        level: z.union([z.literal(1), z.literal(2)]),
        notify: z.array(z.enum(['email', 'slack'])),
        note: z.string().nullable(),
        dry: z.boolean(),
      }),
    )

    expect(kinds(schema)).toEqual({
      version: 'text',
      percent: 'number',
      env: 'one',
      level: 'one',
      notify: 'many',
      note: 'text',
      dry: 'boolean',
    })
    expect(fieldsOf(schema)[0]).toMatchObject({ description: 'The version', required: true })
    expect(fieldsOf(schema)[1]).toMatchObject({ usual: 25 })
    expect(fieldsOf(schema)[2]).toMatchObject({ required: false })
  })

  test('are found behind references', () => {
    const schema = {
      $ref: '#/$defs/Plan',
      $defs: {
        Plan: {
          type: 'object',
          properties: { env: { $ref: '#/$defs/Env', title: 'Environment' } },
        },
        Env: { enum: ['a'], description: 'Where' },
      },
    }

    expect(fieldsOf(schema)).toMatchObject([
      { name: 'env', label: 'Environment', description: 'Where', kind: { type: 'one' } },
    ])
  })

  test('end at a reference to itself', () => {
    const schema = { $ref: '#' }

    expect(fieldsOf(schema)).toMatchObject([{ kind: { type: 'json' } }])
  })

  test('are one for a schema that is no object', () => {
    expect(formShape({ type: 'boolean' }, 'Answer')).toMatchObject({
      type: 'value',
      field: { label: 'Answer', required: true, kind: { type: 'boolean' } },
    })
    expect(formShape(undefined, 'Answer')).toMatchObject({ field: { kind: { type: 'json' } } })
  })

  test('name constants by their titles', () => {
    const schema = { oneOf: [{ const: 1, title: 'one' }, { const: { a: 1 } }] }

    expect(fieldsOf(schema)[0]?.kind).toEqual({
      type: 'one',
      options: [
        { value: 1, name: 'one' },
        { value: { a: 1 }, name: '{"a":1}' },
      ],
    })
  })
})
