import { canonical } from '../../core/canonical.ts'
import { HexagonError } from '../../core/errors.ts'
import type { Choice, Interrupt } from '../../core/interrupt.ts'
import { nearest } from '../../core/nearest.ts'
import { quoteArgument } from '../render/command-line.ts'
import { placeOf } from '../render/interrupt-name.ts'
import type { Given } from './given.ts'
import { quote } from './quote.ts'

const SHOWN_WHOLE = 12
const SHOWN_NEAR = 5

/**
 * The value of the option that `given` names: by its exact text, as `#n`, or by its exact JSON value.
 * Never by a prefix or a near match. @throws HexagonError E1202
 */
export function readChoice(question: Interrupt, given: Given): unknown {
  const choices = question.choices ?? []
  const unquoted = typeof given.json?.value === 'string' ? given.json.value : given.text
  for (const text of new Set([given.text, unquoted])) {
    const named = choices.filter(({ name }) => name === text)
    if (named.length > 0) return onlyOne(question, named, text)
  }
  const number = /^#(\d+)$/.exec(unquoted)?.[1]
  const found =
    (number === undefined ? undefined : choices[Number(number) - 1]) ??
    choices.find((choice) => isValue(choice, given))
  if (found === undefined) throw notAnOption(question, unquoted)
  return found.value
}

/** A text value is its own text; any other value is its exact JSON. */
function isValue({ value }: Choice, { text, json }: Given): boolean {
  return value === text || (json !== undefined && canonical(json.value) === canonical(value))
}

function onlyOne(question: Interrupt, found: readonly Choice[], text: string): unknown {
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return first.value
  const numbers = found.map((choice) => `#${(question.choices ?? []).indexOf(choice) + 1}`)
  throw new HexagonError(
    'E1202',
    `${quote(text)} names ${found.length} options of ${placeOf(question)}`,
    {
      hint: `Say which by its number: ${numbers.join(', ')}`,
      details: { interruptId: question.id, numbers },
    },
  )
}

function notAnOption(question: Interrupt, text: string): HexagonError {
  const names = (question.choices ?? []).map(({ name }) => name)
  const near = nearest(text, names)
  const meant = near === undefined ? '' : `Did you mean "${near}"?  `
  const example = near ?? names[0]
  const command =
    example === undefined
      ? ''
      : `\nhexagon resume ${question.id} --choose ${quoteArgument(example)}`
  return new HexagonError(
    'E1202',
    `${quote(text)} is not one of the options of ${placeOf(question)}`,
    {
      hint: `${meant}${listOptions(names, text, near)}${command}`,
      details: {
        interruptId: question.id,
        options: names.slice(0, 100),
        ...(near === undefined ? {} : { near }),
      },
    },
  )
}

/** All options when they are few, else the nearest ones. */
function listOptions(names: readonly string[], text: string, near: string | undefined): string {
  if (names.length <= SHOWN_WHOLE) return `Options: ${names.join(', ')}`
  const ranked = names
    .filter((name) => name !== near)
    .map((name) => ({ name, likeness: likeness(name.toLowerCase(), text.toLowerCase()) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ name }) => name)
  const shown = [...(near === undefined ? [] : [near]), ...ranked].slice(0, SHOWN_NEAR)
  return `Nearest of ${names.length.toLocaleString('en')} options: ${shown.join(', ')}`
}

function likeness(name: string, text: string): number {
  if (text !== '' && name.includes(text)) return 1000 + text.length
  let same = 0
  while (same < text.length && name[same] === text[same]) same += 1
  return same
}
