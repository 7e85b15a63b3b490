import type { JsonValue } from '../../core/json.ts'
import type { Store } from '../../core/store.ts'
import type { AuditLine } from '../../stores/file/audit-line.ts'
import { arrivalsOf, readAudit, type Arrival, type AuditTrail } from '../../stores/file/audit.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { printList } from '../list.ts'
import { openProject, type Project } from '../project.ts'
import { renderAudit } from '../render/audit.ts'
import { outViewOf } from '../render/view.ts'

/** Lists who answered what; `verify` follows the chain of lines. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const project = await openProject(invocation)
  const trail = await trailIn(project)
  const [selector] = invocation.args
  if (selector !== 'verify') return list(await opened(trail, project), selector, invocation)
  const store = project.openStore()
  try {
    return await verify(trail, store, invocation)
  } finally {
    await store.close()
  }
}

/** Both stores keep the same lines. */
async function trailIn({ store: { kind, path } }: Project): Promise<AuditTrail> {
  if (kind === 'file') return readAudit(path)
  const { readAudit: readRows } = await import('../../stores/sqlite/audit.ts')
  return readRows(path)
}

/** What was answered in an encrypted store is read with its key. */
async function opened(trail: AuditTrail, { store: { keys } }: Project): Promise<AuditTrail> {
  if (keys === undefined) return trail
  const { openLines } = await import('../../stores/sealed/audit-lines.ts')
  return { ...trail, lines: openLines(trail.lines, keys) }
}

async function list(
  { lines, broken }: AuditTrail,
  selector: string | undefined,
  invocation: Invocation,
): Promise<CommandResult> {
  const { output, terminal, settings } = invocation
  const shown = lines.filter(({ thread }) => selector === undefined || isMeant(thread, selector))
  if (output.format === 'human') {
    if (shown.length === 0 && !settings.quiet) terminal.stderr('No answers.')
    await printList(renderAudit(shown, outViewOf(terminal)), invocation)
    if (broken !== undefined)
      terminal.stderr(`${terminal.symbols.warn} Line ${broken.line} ${broken.problem}`)
  }
  return {
    exitCode: broken === undefined ? exitCode.ok : exitCode.failed,
    document: { answers: shown.map(lineJson), broken: brokenJson(broken) },
  }
}

async function verify(
  { path, lines, head, broken }: AuditTrail,
  store: Store,
  { output, terminal, settings }: Invocation,
): Promise<CommandResult> {
  const arrivals = await arrivalsOf(store, lines)
  const missing = lines.filter((_, index) => arrivals[index] === 'missing')
  if (output.format === 'human' && !settings.quiet) {
    const { symbols } = terminal
    const answers = lines.length === 1 ? '1 answer' : `${lines.length} answers`
    if (broken === undefined) terminal.stderr(`${symbols.ok} ${answers} in one chain, head ${head}`)
    for (const { n, interrupt, thread } of missing) {
      terminal.stderr(
        `${symbols.warn} Line ${n}: the answer to ${interrupt} is not in ${thread}. Its process ended in between, or the thread was restored to before it.`,
      )
    }
    if (broken !== undefined)
      terminal.stderr(`${symbols.fail} ${path}: line ${broken.line} ${broken.problem}`)
  }
  return {
    exitCode: broken === undefined ? exitCode.ok : exitCode.failed,
    document: {
      lines: lines.length,
      head,
      broken: brokenJson(broken),
      missing: missing.map(lineJson),
      unknown: countOf(arrivals, 'unknown'),
    },
  }
}

/** A thread may be gone, so a beginning is enough, as everywhere else from four characters. */
function isMeant(thread: string, selector: string): boolean {
  return thread === selector || (selector.length >= 4 && thread.startsWith(selector))
}

function countOf(arrivals: readonly Arrival[], wanted: Arrival): number {
  return arrivals.filter((arrival) => arrival === wanted).length
}

function brokenJson(broken: AuditTrail['broken']): JsonValue {
  return broken === undefined ? null : { line: broken.line, problem: broken.problem }
}

/** It was read from JSON, so it is JSON. */
function lineJson(line: AuditLine): JsonValue {
  return line as unknown as JsonValue
}
