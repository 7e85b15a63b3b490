import { HexagonError } from '../core/errors.ts'

const PATH = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/u
const PART = /\[(\d+)\]|([^.[\]]+)/gu

/** The parts of a path like `result.items[0].name`. @throws HexagonError E1013 */
export function parsePath(text: string): (string | number)[] {
  if (!PATH.test(text)) {
    throw new HexagonError('E1013', `Bad path "${text}"`, {
      hint: 'Write a path as result.items[0].name',
      details: { path: text },
    })
  }
  return Array.from(text.matchAll(PART), ([, index, field]) => field ?? Number(index))
}

/** What stands at a path; undefined when nothing does. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, part) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, part)
        ? (Reflect.get(found, part) as unknown)
        : undefined,
    value,
  )
}
