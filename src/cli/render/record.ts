import type { Interrupt } from '../../core/interrupt.ts'
import { oneLine } from '../terminal/safe.ts'
import { truncate } from '../terminal/width.ts'
import { placeOf } from './interrupt-name.ts'
import { briefJson } from './json.ts'
import type { View } from './view.ts'

/** What was answered, without what the question said. */
export interface Given {
  readonly value: unknown
  readonly reason?: string | undefined
}

/** How an answer reads in a sentence, and whether it is a no. */
export interface Verdict {
  readonly isNo: boolean
  /** `approved`, `rejected`, `chosen`, `answered`, `continued`. */
  readonly word: string
  readonly detail: string | undefined
}

/** What an answer says, for one line; secrets say nothing. */
export function verdictOf(
  interrupt: Pick<Interrupt, 'kind' | 'secret' | 'choices'>,
  given: Given,
): Verdict {
  switch (interrupt.kind) {
    case 'approval':
      return approvalVerdict(given)
    case 'choice':
      return { isNo: false, word: 'chosen', detail: choiceName(interrupt.choices, given.value) }
    case 'doubt':
      return doubtVerdict(interrupt, given)
    case 'breakpoint':
      return { isNo: false, word: 'continued', detail: undefined }
    case 'input':
    case 'form':
    case 'custom':
      return { isNo: false, word: 'answered', detail: detailOf(interrupt, given.value) }
    default:
      return interrupt.kind satisfies never
  }
}

/** The one line that stays of an answered prompt: `✔ Approved  node:review`. */
export function renderRecord(interrupt: Interrupt, given: Given, view: View): string {
  const { paint, symbols, columns, plain } = view
  const { isNo, word, detail } = verdictOf(interrupt, given)
  const sign = isNo ? paint.red(symbols.fail) : paint.green(symbols.ok)
  const said = word.slice(0, 1).toUpperCase() + word.slice(1)
  const place = placeOf(interrupt)
  const room = columns - symbols.ok.length - said.length - place.length - 5
  const shown = interrupt.secret === true ? symbols.mask.repeat(4) : detail
  const tail = shown === undefined ? '' : `: ${plain ? shown : truncate(shown, Math.max(10, room))}`
  return plain ? `${said}: ${place}${tail}` : `${sign} ${said}  ${paint.dim(place)}${tail}`
}

function approvalVerdict({ value, reason }: Given): Verdict {
  const record = typeof value === 'object' && value !== null ? value : { approved: value }
  const approved = Reflect.get(record, 'approved') === true
  const edited = Reflect.get(record, 'edited') === undefined ? '' : ' with changes'
  const why = reasonIn(record) ?? reason ?? ''
  return {
    isNo: !approved,
    word: approved ? `approved${edited}` : 'rejected',
    detail: why === '' ? undefined : oneLine(why),
  }
}

function doubtVerdict({ choices }: Pick<Interrupt, 'choices'>, { value }: Given): Verdict {
  const isWord = typeof value === 'string'
  const detail = isWord ? choiceName(choices, value) : oneLine(briefJson(value))
  return { isNo: value === 'fail', word: 'decided', detail }
}

function reasonIn(record: object): string | undefined {
  const reason: unknown = Reflect.get(record, 'reason')
  return typeof reason === 'string' && reason !== '' ? reason : undefined
}

function choiceName(choices: Interrupt['choices'], value: unknown): string {
  const text = briefJson(value)
  const found = choices?.find((choice) => briefJson(choice.value) === text)
  return oneLine(found?.name ?? (typeof value === 'string' ? value : text))
}

function detailOf(
  interrupt: Pick<Interrupt, 'kind' | 'secret'>,
  value: unknown,
): string | undefined {
  if (interrupt.secret === true) return '••••'
  if (interrupt.kind === 'form' && typeof value === 'object' && value !== null) {
    const count = Object.keys(value).length
    return `${count} ${count === 1 ? 'field' : 'fields'}`
  }
  return oneLine(typeof value === 'string' ? value : briefJson(value))
}
