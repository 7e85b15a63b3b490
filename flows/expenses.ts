// Decides expense claims: reads a CSV, passes what is within the limit, asks a person about each line over
// it, and writes the decided CSV with totals.
//
//   hexagon run flows/expenses.ts
//   hexagon run flows/expenses.ts -d file=claims.csv -d limit:=100

import { readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

import { channel, END, graph, interruptForApproval, Send, START, step } from 'hexagon'

/** One claim, as the file has it; `amount` in cents. */
interface Claim {
  readonly id: string
  readonly amount: number
  readonly fields: readonly string[]
}

interface Claims {
  readonly header: readonly string[]
  readonly claims: readonly Claim[]
}

interface Decision {
  readonly id: string
  readonly decision: 'within limit' | 'approved' | 'rejected'
  readonly reason: string
}

interface Review {
  readonly claim: Claim
  readonly header: readonly string[]
  readonly limit: number
}

const state = {
  /** The CSV to decide: a header with `id` and `amount`, then one claim a line. */
  file: join(import.meta.dirname, 'expenses.csv'),
  /** Claims up to this amount pass without a question. */
  limit: 200,
  header: [] as readonly string[],
  claims: [] as readonly Claim[],
  decisions: channel<readonly Decision[]>({
    initial: [],
    reduce: (all, more) => [...all, ...more],
  }),
  written: '',
}

export default graph('expenses', {
  state,
  output: ({ written, claims, decisions }) => ({ file: written, ...totalsOf(claims, decisions) }),
})
  .node('read', ({ file, limit }) => {
    if (typeof limit !== 'number') throw new Error('limit must be a number: -d limit:=200')
    return step('read the claims', () => readClaims(resolve(file)))
  })
  .node('review', review)
  .node('write', async ({ file, header, claims, decisions }) => {
    const target = join(dirname(resolve(file)), `${basename(file, '.csv')}.decided.csv`)
    const text = decidedCsv(header, claims, decisions)
    await step('write the decided claims', () => replaceFile(target, text))
    return { written: target }
  })
  .edge(START, 'read')
  .branch(
    'read',
    ({ header, claims, limit }) =>
      claims.map((claim) => new Send('review', { claim, header, limit }, { key: claim.id })),
    ['review'],
  )
  .join('write', ['review'])
  .edge('write', END)

async function review({ claim, header, limit }: Review): Promise<{ decisions: Decision[] }> {
  const { id, amount, fields } = claim
  if (amount <= centsOf(limit)) return { decisions: [{ id, decision: 'within limit', reason: '' }] }
  const { approved, reason = '' } = await interruptForApproval(`Pay ${id}, ${money(amount)}?`, {
    detail: true,
    payload: Object.fromEntries(header.map((name, index) => [name, fields[index] ?? ''])),
  })
  return { decisions: [{ id, decision: approved ? 'approved' : 'rejected', reason }] }
}

async function readClaims(file: string): Promise<Claims> {
  const [header = [], ...rows] = parseCsv(await readFile(file, 'utf8'))
  const idColumn = columnOf(header, 'id', file)
  const amountColumn = columnOf(header, 'amount', file)
  const seen = new Set<string>()
  const claims = rows.map((fields, index): Claim => {
    const where = `${file}, claim ${index + 1}`
    const id = fields[idColumn] ?? ''
    const text = fields[amountColumn] ?? ''
    if (fields.length !== header.length)
      throw new Error(`${where}: ${fields.length} fields, the header has ${header.length}`)
    if (id === '' || seen.has(id)) throw new Error(`${where}: id "${id}" is empty or used twice`)
    if (!/^\d+(?:\.\d{1,2})?$/.test(text))
      throw new Error(`${where} (${id}): "${text}" is not an amount like 12.50`)
    seen.add(id)
    return { id, amount: centsOf(Number(text)), fields }
  })
  if (claims.length === 0) throw new Error(`${file} has no claims`)
  return { header, claims }
}

function columnOf(header: readonly string[], name: string, file: string): number {
  const column = header.indexOf(name)
  if (column === -1)
    throw new Error(`${file} has no column "${name}"; it has ${header.join(', ') || 'none'}`)
  return column
}

/** Rows of fields; a field in quotes may hold commas, line breaks and doubled quotes. */
function parseCsv(text: string): string[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n)/gy
  const body = `${text.replace(/^\uFEFF/, '').trimEnd()}\n`
  const rows: string[][] = []
  let row: string[] = []
  while (field.lastIndex < body.length) {
    const rest = body.slice(field.lastIndex, field.lastIndex + 40)
    const [, quoted, plain = '', after] = field.exec(body) ?? []
    if (after === undefined) throw new Error(`Not CSV: ${JSON.stringify(rest)}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (after === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

function decidedCsv(
  header: readonly string[],
  claims: readonly Claim[],
  decisions: readonly Decision[],
): string {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]))
  const rows = claims.map(({ id, fields }) => {
    const { decision = '', reason = '' } = byId.get(id) ?? {}
    return [...fields, decision, reason]
  })
  return [[...header, 'decision', 'reason'], ...rows]
    .map((row) => `${row.map(csvField).join(',')}\n`)
    .join('')
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function totalsOf(claims: readonly Claim[], decisions: readonly Decision[]): object {
  const rejected = new Set(
    decisions.filter(({ decision }) => decision === 'rejected').map(({ id }) => id),
  )
  const sum = (list: readonly Claim[]): string =>
    money(list.reduce((total, { amount }) => total + amount, 0))
  return {
    claims: claims.length,
    asked: decisions.filter(({ decision }) => decision !== 'within limit').length,
    pay: sum(claims.filter(({ id }) => !rejected.has(id))),
    refuse: sum(claims.filter(({ id }) => rejected.has(id))),
  }
}

/** Readers see the old file or the new one, never half of one. */
async function replaceFile(target: string, text: string): Promise<void> {
  const temporary = `${target}.${crypto.randomUUID()}.tmp`
  await writeFile(temporary, text)
  await rename(temporary, target)
}

function centsOf(amount: number): number {
  return Math.round(amount * 100)
}

function money(cents: number): string {
  return (cents / 100).toFixed(2)
}
