import { HexagonError, ThreadExistsError } from '../../core/errors.ts'
import type { InterruptRow, Store } from '../../core/store.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
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
  await write(thread, store)
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

async function write(
  { id, flow, meta, status, records, interrupts }: PortableThread,
  store: Store,
): Promise<void> {
  const { version } = await store.create({ id, flow, meta, status: 'suspended', records })
  const opened = await store.commit({
    threadId: id,
    expectVersion: version,
    fence: null,
    status: 'suspended',
    label: 'imported',
    open: interrupts.map(newRow),
    answer: interrupts.flatMap((row) =>
      row.answer === undefined ? [] : [{ id: row.id, answer: row.answer }],
    ),
  })
  await store.commit({
    threadId: id,
    expectVersion: opened.version,
    fence: null,
    status,
    label: 'imported',
    consume: idsWith(interrupts, 'consumed'),
    cancel: idsWith(interrupts, 'cancelled'),
    expire: idsWith(interrupts, 'expired'),
  })
}

function newRow({
  id,
  ordinal,
  kind,
  expiresAt,
  body,
}: InterruptRow): Pick<InterruptRow, 'id' | 'ordinal' | 'kind' | 'body' | 'expiresAt'> {
  return { id, ordinal, kind, body, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

function idsWith(rows: readonly InterruptRow[], status: InterruptRow['status']): string[] {
  return rows.filter((row) => row.status === status).map(({ id }) => id)
}
