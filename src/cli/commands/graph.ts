import { encode } from '../../core/codec.ts'
import type { ThreadView } from '../../core/command.ts'
import { isHexagonError } from '../../core/errors.ts'
import type { FlowShape } from '../../core/flow.ts'
import { mermaidOf } from '../../graph/mermaid.ts'
import { exitCode } from '../exit-code.ts'
import { drawDot } from '../flow/draw-dot.ts'
import { drawFlow, type NodeMarks } from '../flow/draw-flow.ts'
import { isShape } from '../flow/drift.ts'
import { FlowHost } from '../flow/flow-host.ts'
import { openFlow } from '../flow/open-flow.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { printList } from '../list.ts'
import { openProjectWithCode, type Project } from '../project.ts'
import { openReader } from '../reader.ts'
import { findThread, selectThread } from '../thread-selector.ts'
import { whichFlow } from '../which-flow.ts'

/** Draws the graph of a flow, or of a thread. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, output, options, terminal } = invocation
  const [argument] = args
  if (argument === undefined) throw whichFlow(invocation)
  const project = await openProjectWithCode(invocation)
  const view = await threadOf(argument, project)
  const drawn =
    view === undefined ? await flowOrThread(argument, project, invocation) : ofThread(view)
  if (output.format === 'human') {
    const lines = draw(drawn, options.text('format') ?? 'ascii', terminal)
    await printList(options.flag('md') ? fenced(lines, options.text('format')) : lines, invocation)
  }
  const { name, nodes, edges } = drawn.shape
  return { exitCode: exitCode.ok, document: { name, nodes: encode(nodes), edges: encode(edges) } }
}

interface Drawn {
  readonly shape: FlowShape
  /** Kinds of open questions, by the outermost node that waits. */
  readonly waiting: ReadonlyMap<string, string>
}

/** A thread by its full id, or by something only a thread can be called. */
async function threadOf(argument: string, project: Project): Promise<ThreadView | undefined> {
  if (!project.hasStore) return undefined
  const runner = openReader(project)
  if (/^(?:@|i_)/u.test(argument)) return (await selectThread(argument, runner)).view
  return /[/.]/u.test(argument) ? undefined : findThread(argument, runner)
}

async function flowOrThread(
  argument: string,
  project: Project,
  invocation: Invocation,
): Promise<Drawn> {
  const host = new FlowHost(invocation)
  try {
    const loading = openFlow(argument, { project })
    const { runnable } = await host.guard(loading, () => `${argument} is loading`)
    return { shape: runnable.describe(), waiting: new Map() }
  } catch (error) {
    const isUnknown = isHexagonError(error) && (error.code === 'E1101' || error.code === 'E1102')
    const view = isUnknown ? await byPrefix(argument, project) : undefined
    if (view === undefined) throw error
    return ofThread(view)
  } finally {
    host.close()
  }
}

async function byPrefix(argument: string, project: Project): Promise<ThreadView | undefined> {
  if (!project.hasStore) return undefined
  try {
    return (await selectThread(argument, openReader(project))).view
  } catch (error) {
    if (isHexagonError(error) && error.code === 'E1301') return undefined
    throw error
  }
}

function ofThread({ meta, flow, interrupts }: ThreadView): Drawn {
  const shape = isShape(meta.shape) ? meta.shape : { name: flow, nodes: [], edges: [] }
  const waiting = interrupts.flatMap(({ address, kind }): [string, string][] => {
    const node = address.find(({ type }) => type === 'node')
    return node === undefined ? [] : [[node.id, kind]]
  })
  return { shape, waiting: new Map(waiting) }
}

function draw(
  { shape, waiting }: Drawn,
  format: string,
  { symbols }: Invocation['terminal'],
): string[] {
  if (format === 'json') return JSON.stringify(encode(shape), null, 2).split('\n')
  if (format === 'mermaid') return mermaidOf(shape).split('\n')
  if (format === 'dot') return drawDot(shape)
  const marks: NodeMarks = new Map(
    [...waiting].map(([node, kind]) => [node, `${symbols.ask} ${kind}`]),
  )
  return drawFlow(shape, symbols, marks)
}

function fenced(lines: readonly string[], format = 'text'): string[] {
  return [`\`\`\`${format === 'ascii' ? 'text' : format}`, ...lines, '```']
}
