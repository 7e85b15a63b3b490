import { HexagonError, ThreadExistsError } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { placeThread } from '../place-thread.ts'
import { openProject } from '../project.ts'
import { continueCommand } from '../render/command-line.ts'
import { readThreadDocument, type PortableThread } from '../thread-document.ts'
import { assertThreadName } from '../thread-name.ts'
import { decodeText, parseAnyJson, readTextFile } from '../value/given.ts'

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
  const store = (await openProject(invocation)).openStore()
  const existing = await store.load(thread.id)
  if (existing !== undefined && !options.flag('force')) {
    throw exists(thread.id, existing.head.status)
  }
  if (existing !== undefined) await store.delete(thread.id)
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
      : await readTextFile(file, input, MAX_BYTES)
  const thread = readThreadDocument(parseAnyJson(text, file), file)
  assertThreadName(thread.id)
  return thread
}

function exists(threadId: string, status: string): HexagonError {
  const error = new ThreadExistsError(threadId, status)
  return new HexagonError(error.code, error.message, {
    hint: 'Replace it with --force.',
    details: error.details,
  })
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
