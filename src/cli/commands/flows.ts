import { isHexagonError, messageOf } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { printList } from '../list.ts'
import { listFlows } from '../load/find/flow-list.ts'
import { openProjectWithCode } from '../project.ts'
import { renderErrorRecord } from '../render/error.ts'
import { renderTable, type Row } from '../render/table.ts'
import { outViewOf } from '../render/view.ts'
import { checkFlow, checkedJson, type CheckedFlow } from './check.ts'

/** Lists the flows of the flows directory, with what is wrong with them in place. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { terminal, output, options, settings } = invocation
  const project = await openProjectWithCode(invocation)
  const { root, config } = project
  const listed = listFlows({ root, flowsDir: config.flowsDir })
  const checked: CheckedFlow[] = []
  for (const { file, path } of listed) {
    checked.push({ ...(await checkFlow(file, project, invocation)), file: path })
  }
  if (output.format === 'human') {
    if (checked.length === 0 && !settings.quiet) {
      terminal.stderr(`No flows in ${config.flowsDir ?? 'flows'}/. hexagon init writes one.`)
    }
    await printList(render(checked, invocation), invocation)
  }
  const isBroken = checked.some(({ error }) => error !== undefined)
  return {
    exitCode: options.flag('check') && isBroken ? exitCode.config : exitCode.ok,
    document: { flows: checked.map(checkedJson) },
  }
}

function render(checked: readonly CheckedFlow[], { terminal }: Invocation): string[] {
  if (checked.length === 0) return []
  const columns = [{ title: 'FLOW' }, { title: 'FILE' }, { title: 'NODES', flexible: true }]
  const rows = checked.map(({ name, file, nodes, error }): Row => [
    error === undefined ? name : terminal.symbols.fail,
    file ?? '',
    error === undefined ? nodes.join(', ') : problemOf(error),
  ])
  return renderTable(columns, rows, outViewOf(terminal))
}

function problemOf(error: unknown): string {
  const message = messageOf(error)
  return renderErrorRecord(
    isHexagonError(error) ? { name: error.name, message, code: error.code } : { name: '', message },
  )
}
