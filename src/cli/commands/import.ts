import { DamagedError, HexagonError, isHexagonError, ThreadExistsError } from '../../core/errors.ts'
import type { Store } from '../../core/store.ts'
import { keepThread } from '../../stores/file/kept-copy.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { placeThread } from '../place-thread.ts'
import { openProject, type Project } from '../project.ts'
import { continueCommand } from '../render/command-line.ts'
import { readThreadDocument, type PortableThread } from '../thread-document.ts'
import { assertThreadName } from '../thread-name.ts'
import { decodeText, parseAnyJson, readTextFile, type DataInput } from '../value/given.ts'

const MAX_BYTES = 512 * 1024 * 1024

/** Takes in a thread that `export` wrote. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options, terminal, settings } = invocation
  const [file] = args
  if (file === undefined) {
    throw new HexagonError('E1005', 'Which file? Usage: hexagon import <file|->', {
      hint: 'hexagon import thread.json --trust',
    })
  }
  const thread = await read(file, invocation)
  if (!options.flag('trust')) throw notTrusted(file, thread)
  const project = await openProject(invocation)
  const store = project.openStore()
  if (options.flag('force')) await replace(thread.id, { store, project, terminal })
  else await assertAbsent(thread.id, store)
  await placeThread(store, thread, 'imported')
  if (!settings.quiet) {
    terminal.stderr(`${terminal.err.paint.green(terminal.symbols.ok)} Imported ${thread.id}`)
    if (!settings.inAutomation) terminal.stderr(`  Continue:  ${continueCommand(thread.id)}`)
  }
  return {
    exitCode: exitCode.ok,
    document: { thread: { id: thread.id, flow: thread.flow, status: thread.status } },
  }
}

async function read(file: string, { input }: Invocation): Promise<PortableThread> {
  const text =
    file === '-'
      ? decodeText(await input.readStandardInput(MAX_BYTES), 'Standard input')
      : await readDocumentFile(file, input)
  const thread = readThreadDocument(parseAnyJson(text, file), file)
  assertThreadName(thread.id)
  return thread
}

/** Makes room for a thread. Of a damaged one a copy stays, as after a repair. */
async function replace(
  threadId: string,
  { store, project, terminal }: Pick<Invocation, 'terminal'> & { store: Store; project: Project },
): Promise<void> {
  try {
    if ((await store.load(threadId)) === undefined) return
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error
    const { kind, path } = project.store
    const kept = kind === 'file' ? await keepThread(path, threadId) : []
    for (const copy of kept) terminal.stderr(`  Kept what was damaged: ${copy}`)
  }
  await store.delete(threadId)
}

/** @throws HexagonError E1314 when the thread is there, DamagedError */
async function assertAbsent(threadId: string, store: Store): Promise<void> {
  const existing = await store.load(threadId)
  if (existing === undefined) return
  const error = new ThreadExistsError(threadId, existing.head.status)
  throw new HexagonError(error.code, error.message, {
    hint: 'Replace it with --force.',
    details: error.details,
  })
}

/** A file whose name is the whole argument: what begins with @ elsewhere has no meaning here. @throws HexagonError E1204 */
async function readDocumentFile(file: string, input: DataInput): Promise<string> {
  try {
    return await readTextFile(file, input, MAX_BYTES)
  } catch (error) {
    if (!isHexagonError(error) || error.code !== 'E1204') throw error
    const { message, cause, details } = error
    throw new HexagonError('E1204', message, { hint: 'Check the path.', cause, details })
  }
}

/** An answer in the document would be taken as given, and its flow file be run. */
function notTrusted(file: string, { id, flow }: PortableThread): HexagonError {
  return new HexagonError(
    'E1222',
    `${file} is not signed: nobody vouches for what it says about thread "${id}" (${flow})`,
    {
      hint: `If you know where it comes from: hexagon import ${file} --trust`,
      details: { file, threadId: id },
    },
  )
}
