import { HexagonError, isHexagonError } from '../core/errors.ts'
import type { Runnable } from '../runtime/runnable.ts'
import type { Invocation } from './invocation.ts'
import { readFields } from './value/fields.ts'
import { rawText, readData } from './value/given.ts'

/** The value a flow starts with, or that none was given: `null` is a value. */
export type StartValue =
  | { readonly given: true; readonly value: unknown }
  | { readonly given: false }

/** Reads `--data` and `--data-raw` of `run`. @throws HexagonError E1006, E1204 to E1216 */
export async function readStartValue({ options, input }: Invocation): Promise<StartValue> {
  const raw = options.text('dataRaw')
  const data = options.list('data')
  if (raw !== undefined && data.length > 0) {
    throw new HexagonError('E1006', '--data and --data-raw exclude each other', {
      hint: 'Leave one of them out.',
    })
  }
  if (raw !== undefined) return { given: true, value: rawText(raw).text }
  if (data.length === 0) return { given: false }
  const value = await readFields(undefined, await readData(data, input), input)
  return { given: true, value }
}

/**
 * What is handed to the flow. Without a value a flow gets nothing if it takes that, else an empty object, so
 * that fields with defaults need no `--data`, and what is missing is named.
 */
export async function inputFor(flow: Runnable, start: StartValue): Promise<unknown> {
  if (start.given) return start.value
  try {
    await flow.checkInput(undefined)
    return undefined
  } catch (error) {
    if (isRefusedInput(error)) return {}
    throw error
  }
}

/** An input that the flow refused, with the command that gives what is missing. */
export function explainRefusedInput(error: unknown, flow: string): unknown {
  if (isUnknownKey(error)) {
    return new HexagonError('E1207', error.message, { hint: error.hint, details: error.details })
  }
  if (!isRefusedInput(error) || error.hint !== undefined) return error
  const fields = problemPaths(error).filter((path) => path !== '')
  const data =
    fields.length === 0 ? ' --data <value>' : fields.map((field) => ` -d ${field}=…`).join('')
  return new HexagonError(error.code, error.message, {
    hint: `hexagon run ${flow}${data}`,
    details: error.details,
  })
}

/** A start value with a key that the flow's state does not have: bad data, not a failed flow. */
function isUnknownKey(error: unknown): error is HexagonError {
  return isHexagonError(error) && error.code === 'E2102' && error.details['kind'] === 'state key'
}

/** By its code: the flow may bring its own copy of the library. */
function isRefusedInput(error: unknown): error is HexagonError {
  return isHexagonError(error) && error.code === 'E1217'
}

function problemPaths({ details }: HexagonError): string[] {
  const { problems } = details
  if (!Array.isArray(problems)) return []
  return problems.flatMap((problem: unknown) =>
    typeof problem === 'object' &&
    problem !== null &&
    'path' in problem &&
    typeof problem.path === 'string'
      ? [problem.path]
      : [],
  )
}
