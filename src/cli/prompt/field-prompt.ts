import type { Asked } from '../terminal/asked.ts'
import type { Control, Option } from '../terminal/prompter.ts'
import { safe } from '../terminal/safe.ts'
import { LATER, type Asking } from './asking.ts'
import { MAX_LISTED } from './choice.ts'
import { editJson } from './edit-json.ts'
import { checkCount, checkText, hintOf, parseNumber } from './field-check.ts'
import type { Field, FieldKind, FieldOption } from './form-schema.ts'
import { laterOption } from './step.ts'
import { wording } from './wording.ts'

/** What a field was given; undefined leaves it out. */
export type FieldAsked =
  | Asked<unknown>
  | { readonly kind: 'again'; readonly above: readonly string[] }

/** Where a field is asked: what it holds already, and lines above its prompt. */
export interface FieldPlace {
  readonly asking: Asking
  readonly current: unknown
  readonly above: readonly string[]
  readonly back: boolean
}

type Of<Type extends FieldKind['type']> = Extract<FieldKind, { readonly type: Type }>
type Prompt = Control & { readonly message: string; readonly above: readonly string[] }

/** Asks for one field with the prompt that suits it. */
export function askField(field: Field, place: FieldPlace): Promise<FieldAsked> {
  const { kind } = field
  const hint = hintOf(field)
  const message = `${safe(field.label)}${hint === '' ? '' : ` (${hint})`}:`
  const prompt = { ...place.asking.control, message, above: place.above, back: place.back }
  switch (kind.type) {
    case 'text':
      return askText(field, kind, { ...place, prompt })
    case 'secret':
      return askSecret(field, kind, { ...place, prompt })
    case 'number':
      return askNumber(field, kind, { ...place, prompt })
    case 'boolean':
      return askOne(field, BOOLEAN, { ...place, prompt })
    case 'one':
      return askOne(field, kind.options, { ...place, prompt })
    case 'many':
      return askMany(kind, { ...place, prompt })
    case 'json':
      return askJson(field, { ...place, prompt })
    default:
      return kind satisfies never
  }
}

type Placed = FieldPlace & { readonly prompt: Prompt }

const BOOLEAN: readonly FieldOption[] = [
  { value: true, name: wording.form.yes },
  { value: false, name: wording.form.no },
]

async function askText(field: Field, { schema }: Of<'text'>, place: Placed): Promise<FieldAsked> {
  const { current, prompt } = place
  const prefill =
    typeof current === 'string' && safe(current) === current ? { prefill: current } : {}
  const validate = (text: string): true | string =>
    text === '' && !field.required ? true : checkText(schema, text)
  const asked = await place.asking.terminal.prompter.input({ ...prompt, ...prefill, validate })
  return asked.kind === 'answer' && asked.value === '' && !field.required ? LEFT_OUT : asked
}

async function askSecret(
  field: Field,
  { schema }: Of<'secret'>,
  place: Placed,
): Promise<FieldAsked> {
  const validate = (text: string): true | string =>
    text === '' && !field.required ? true : checkText({ minLength: 1, ...schema }, text)
  const asked = await place.asking.terminal.prompter.password({ ...place.prompt, validate })
  return asked.kind === 'answer' && asked.value === '' ? LEFT_OUT : asked
}

async function askNumber(field: Field, kind: Of<'number'>, place: Placed): Promise<FieldAsked> {
  const { current, prompt } = place
  const prefill = typeof current === 'number' ? { prefill: String(current) } : {}
  const validate = (text: string): true | string => {
    if (text.trim() === '' && !field.required) return true
    const parsed = parseNumber(kind, text)
    return 'value' in parsed ? true : parsed.problem
  }
  const asked = await place.asking.terminal.prompter.input({ ...prompt, ...prefill, validate })
  if (asked.kind !== 'answer') return asked
  return asked.value.trim() === '' ? LEFT_OUT : { kind: 'answer', value: Number(asked.value) }
}

const LEFT_OUT: FieldAsked = { kind: 'answer', value: undefined }
const OUT: unique symbol = Symbol('leave out')

type Entry = number | typeof OUT | typeof LATER

async function askOne(
  field: Field,
  choices: readonly FieldOption[],
  { asking, current, prompt }: Placed,
): Promise<FieldAsked> {
  const place = choices.findIndex(({ value }) => sameJson(value, current))
  const options: Option<Entry>[] = [
    ...choices.map(({ name }, index) => ({ value: index, name })),
    ...(field.required ? [] : [{ value: OUT, name: wording.form.leaveOut } as const]),
  ]
  const isLong = choices.length > MAX_LISTED
  // Without a default the cursor stands where Enter alone answers nothing.
  const start = place >= 0 ? place : LATER
  const { prompter } = asking.terminal
  const asked = isLong
    ? await prompter.search<Entry>({ ...prompt, options })
    : await prompter.select<Entry>({ ...prompt, options: [...options, laterOption()], start })
  if (asked.kind !== 'answer') return asked
  if (asked.value === LATER) return { kind: 'deferred', via: 'choice' }
  return asked.value === OUT ? LEFT_OUT : { kind: 'answer', value: choices[asked.value]?.value }
}

async function askMany(kind: Of<'many'>, { asking, current, prompt }: Placed): Promise<FieldAsked> {
  const held = Array.isArray(current) ? current : []
  const places = kind.options.map((_, index) => index)
  const asked = await asking.terminal.prompter.checkbox<number>({
    ...prompt,
    options: kind.options.map(({ name }, index) => ({ value: index, name })),
    checked: places.filter((index) =>
      held.some((value) => sameJson(value, kind.options[index]?.value)),
    ),
    validate: (picked) => checkCount(kind.schema, picked.length),
  })
  if (asked.kind !== 'answer') return asked
  return { kind: 'answer', value: asked.value.map((index) => kind.options[index]?.value) }
}

async function askJson(field: Field, { asking, current, prompt }: Placed): Promise<FieldAsked> {
  const { leaveOut, open } = wording.form
  const options: Option<'open' | typeof OUT | typeof LATER>[] = [
    { value: 'open', name: open },
    ...(field.required ? [] : [{ value: OUT, name: leaveOut } as const]),
    laterOption(),
  ]
  const asked = await asking.terminal.prompter.select({ ...prompt, options })
  if (asked.kind !== 'answer') return asked
  if (asked.value === LATER) return { kind: 'deferred', via: 'choice' }
  if (asked.value === OUT) return LEFT_OUT
  const written = await editJson(asking, current ?? skeleton(field))
  if (written.kind === 'nothing') return { kind: 'again', above: written.above }
  return written.kind === 'value' ? { kind: 'answer', value: written.value } : written
}

/** Something of the right kind to begin with. */
function skeleton({ kind }: Field): unknown {
  if (kind.type !== 'json') return undefined
  if (kind.schema['type'] === 'array') return []
  const { properties } = kind.schema
  if (typeof properties !== 'object' || properties === null) return {}
  return Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || (b !== undefined && JSON.stringify(a) === JSON.stringify(b))
}
