import { HexagonError } from '../../core/errors.ts'
import { fieldNames, findFieldProblems, type FieldProblem } from './form-schema.ts'
import type { DataInput, Given } from './given.ts'
import { combinePairs, isPair, readPair, type Pair } from './pair.ts'
import { quote } from './quote.ts'

const MALFORMED_PAIR = /^[^\s=]+=/u

/**
 * A structured value: one JSON value (or text), or an object put together from pairs, checked
 * against the schema as far as the schema tells. `input` is where pairs read files from.
 * @throws HexagonError E1206 to E1213
 */
export async function readFields(
  schema: unknown,
  given: readonly Given[],
  input: DataInput | undefined,
): Promise<unknown> {
  const pairs = input === undefined ? [] : await readPairs(given, input)
  const value = pairs.length > 0 ? combinePairs(pairs) : wholeValue(schema, given)
  const problems = schema === undefined ? [] : findFieldProblems(schema, value)
  const [first] = problems
  if (first !== undefined) throw problemError(first, problems, { schema, pairs })
  return value
}

async function readPairs(given: readonly Given[], input: DataInput): Promise<Pair[]> {
  const texts = given.filter(
    ({ origin, text, json }) => origin === 'argument' && json === undefined && isPair(text),
  )
  if (texts.length === 0) return []
  if (texts.length < given.length) throw mixed()
  const pairs: Pair[] = []
  for (const { text } of texts) pairs.push(await readPair(text, input))
  return pairs
}

function wholeValue(schema: unknown, given: readonly Given[]): unknown {
  const [first, ...more] = given
  if (first === undefined || more.length > 0) throw mixed()
  if (first.json !== undefined && first.origin !== 'raw') return first.json.value
  const names = fieldNames(schema)
  if (first.origin === 'argument' && names.length > 0 && MALFORMED_PAIR.test(first.text)) {
    throw notAPath(first.text, names)
  }
  return first.text
}

function mixed(): HexagonError {
  return new HexagonError('E1206', 'Give either one JSON value or key=value pairs', {
    hint: 'One JSON value: --data \'{"a":1}\'. Pairs: --data a:=1 --data b=text',
  })
}

function notAPath(text: string, names: readonly string[]): HexagonError {
  const name = text.slice(0, text.indexOf('='))
  return new HexagonError('E1207', `"${name}" is not a field`, {
    hint: `Write a path as items[0].name. Fields: ${names.join(', ')}`,
    details: { field: name, known: names },
  })
}

interface Read {
  readonly schema: unknown
  readonly pairs: readonly Pair[]
}

function problemError(
  first: FieldProblem,
  problems: readonly FieldProblem[],
  read: Read,
): HexagonError {
  const details = { problems }
  switch (first.kind) {
    case 'unknown': {
      const meant = first.near === undefined ? '' : `Did you mean "${first.near}"? `
      const hint = `${meant}Fields: ${first.known.join(', ')}`
      return new HexagonError('E1207', `"${first.name}" is not a field`, { hint, details })
    }
    case 'type':
      return new HexagonError('E1208', typeMessage(first), { hint: typeHint(first, read), details })
    case 'missing':
      return new HexagonError('E1213', `Missing: ${first.names.join(', ')}`, {
        hint: `Add: ${first.names.map((name) => `--data ${name}=…`).join(' ')}`,
        details,
      })
  }
}

type TypeProblem = Extract<FieldProblem, { kind: 'type' }>

function typeMessage({ name, wanted, value }: TypeProblem): string {
  const subject = name === '' ? 'The value' : name
  return `${subject} must be ${wanted}, got ${quote(value)}${typeof value === 'string' ? ' (text)' : ''}`
}

/** What to type instead: `percent:=25` when only the text form was wrong. */
function typeHint({ name, value }: TypeProblem, { schema, pairs }: Read): string {
  const pair = pairs.find((candidate) => candidate.name === name)
  if (pair?.isText === true && typeof value === 'string' && isScalar(value))
    return `Write ${name}:=${value}`
  if (pair?.isText === false && typeof value !== 'object') {
    return `Write ${name}=${JSON.stringify(value)} for text.`
  }
  const names = fieldNames(schema)
  return names.length > 0 ? `Fields: ${names.join(', ')}` : 'Give a value of that type.'
}

function isScalar(text: string): boolean {
  return /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text)
}
