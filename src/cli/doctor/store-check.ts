import { existsSync } from 'node:fs'
import { relative } from 'node:path'

import { isHexagonError, messageOf } from '../../core/errors.ts'
import type { Finding } from '../../stores/file/finding.ts'
import type { Inspected } from '../../stores/file/inspection.ts'
import type { StoreChoice } from '../store-choice.ts'
import type { Check } from './check.ts'

/** Looks at every file or row of a store; with `fix` puts right what can be put right. */
export async function checkStore(store: StoreChoice, fix: boolean): Promise<Check[]> {
  const { path: folder } = store
  if (!existsSync(folder)) {
    return [{ area: 'store', state: 'ok', text: `Store ${folder}: nothing was saved yet` }]
  }
  const inspection = await inspectionOf(store)
  try {
    const found = await inspection.inspect()
    if (!fix) return [summaryOf(folder, found), ...found.findings.map(checkOf(folder))]
    const { fixed, failures } = await repairAll(folder, found.findings)
    // What is said to be left is what is there now, not what the repairs were meant to do.
    const left = await inspection.inspect()
    const rest = left.findings.map(checkOf(folder)).map((check) => withFailure(check, failures))
    return [summaryOf(folder, left), ...fixed, ...rest]
  } catch (error) {
    if (!isHexagonError(error)) throw error
    const { message, hint } = error
    return [{ area: 'store', state: 'problem', text: message, ...(hint ? { hint } : {}) }]
  } finally {
    await inspection.close()
  }
}

/** What looks at a kind of store, loaded when it is asked for. */
async function inspectionOf({ kind, path, keys }: StoreChoice): Promise<{
  inspect(): Promise<Inspected>
  close(): void | Promise<void>
}> {
  if (kind === 'file') {
    const { Inspection } = await import('../../stores/file/inspection.ts')
    return new Inspection(path, { keys })
  }
  const { SqliteInspection } = await import('../../stores/sqlite/inspection.ts')
  return new SqliteInspection(path, { keys })
}

interface Repaired {
  readonly fixed: readonly Check[]
  /** Why a repair was not made, by what it was for. */
  readonly failures: ReadonlyMap<string, string>
}

/** One repair that fails keeps no other from being made. */
async function repairAll(folder: string, findings: readonly Finding[]): Promise<Repaired> {
  const fixed: Check[] = []
  const failures = new Map<string, string>()
  for (const finding of findings) {
    const { repair } = finding
    if (repair === undefined) continue
    try {
      const done = await repair()
      const check = checkOf(folder)(finding)
      fixed.push({ ...check, state: 'fixed', text: `${check.text}: ${done}`, isFixable: false })
    } catch (error) {
      failures.set(subjectOf(finding), messageOf(error))
    }
  }
  return { fixed, failures }
}

function withFailure(check: Check, failures: ReadonlyMap<string, string>): Check {
  const failure = failures.get(subjectOf(check))
  return failure === undefined ? check : { ...check, hint: `Not repaired: ${failure}` }
}

/** Many threads may be in one file. */
function subjectOf({ file = '', threadId = '' }: Pick<Check, 'file' | 'threadId'>): string {
  return `${file} ${threadId}`
}

function checkOf(folder: string): (finding: Finding) => Check {
  return ({ kind, file, problem, weight, threadId, hint, repair }) => ({
    area: 'store',
    state: weight,
    text: `${relative(folder, file) || folder} ${problem}`,
    kind,
    file,
    isFixable: repair !== undefined,
    ...(threadId === undefined ? {} : { threadId }),
    ...(hint === undefined ? {} : { hint }),
  })
}

function summaryOf(folder: string, { threads }: Inspected): Check {
  const count = threads === 1 ? '1 thread' : `${threads} threads`
  return { area: 'store', state: 'ok', text: `Store ${folder}: ${count}` }
}
