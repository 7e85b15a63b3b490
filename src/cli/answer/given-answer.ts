import { HexagonError } from '../../core/errors.ts'
import type { Invocation } from '../invocation.ts'
import type { OptionValues } from '../option-values.ts'
import { readAnswers, type AnswerMap } from '../value/answers.ts'
import { rawText, readData, type Given } from '../value/given.ts'

/** What the options of `resume` answer with, before it is known which question. */
export type GivenAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'decision'; readonly approved: boolean; readonly reason: string | undefined }
  | { readonly kind: 'choose' | 'text'; readonly given: Given }
  | { readonly kind: 'data'; readonly given: readonly Given[]; readonly reason: string | undefined }
  | { readonly kind: 'map'; readonly answers: AnswerMap }

/** Every way to answer, by option name; only one may be used. */
const WAYS = ['approve', 'reject', 'choose', 'text', 'data', 'dataRaw', 'answers'] as const

/** Reads the answer that was given, from files and standard input too. @throws HexagonError E1006, E1204 to E1218 */
export async function readGivenAnswer({ options, input }: Invocation): Promise<GivenAnswer> {
  const way = onlyWay(options)
  const reason = options.text('reason')
  assertReasonFits(way, reason)
  switch (way) {
    case undefined:
      return { kind: 'none' }
    case 'approve':
    case 'reject':
      return { kind: 'decision', approved: way === 'approve', reason }
    case 'choose':
    case 'text':
      return { kind: way, given: rawText(textOf(options, way)) }
    case 'data':
      return { kind: 'data', given: await readData(options.list('data'), input), reason }
    case 'dataRaw':
      return { kind: 'data', given: [rawText(textOf(options, way))], reason }
    case 'answers':
      return { kind: 'map', answers: await readAnswers(textOf(options, way), input) }
  }
}

const TAKES_REASON: ReadonlySet<Way | undefined> = new Set<Way>([
  'approve',
  'reject',
  'data',
  'dataRaw',
])

function textOf(options: OptionValues, way: Way): string {
  return options.text(way) ?? ''
}

type Way = (typeof WAYS)[number]

function onlyWay(options: OptionValues): Way | undefined {
  const used = WAYS.filter((name) => options.has(name))
  const [first, second] = used
  if (first === undefined || second === undefined) return first
  throw new HexagonError('E1006', `${flagOf(first)} and ${flagOf(second)} exclude each other`, {
    hint: 'Leave one of them out.',
    details: { options: used.map(flagOf) },
  })
}

function flagOf(way: Way): string {
  return way === 'dataRaw' ? '--data-raw' : `--${way}`
}

function assertReasonFits(way: Way | undefined, reason: string | undefined): void {
  if (reason === undefined || TAKES_REASON.has(way)) return
  throw new HexagonError('E1218', '--reason goes only with approvals', {
    hint: 'Add --approve or --reject.',
  })
}
