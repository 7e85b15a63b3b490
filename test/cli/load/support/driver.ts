// What the real command does around a flow, and nothing else: loads it, calls it, prints what came of it.
// It is built like the command and run in a process of its own.

import { writeSync } from 'node:fs'

import { openExitGate } from '../../../../src/cli/exit-gate.ts'
import { captureOutput } from '../../../../src/cli/load/capture-output.ts'
import { loadFlow, type FlowRequest } from '../../../../src/cli/load/load-flow.ts'
import { isHexagonError } from '../../../../src/core/errors.ts'

interface Job extends FlowRequest {
  /** Calls the flow, if it is a function, with this. */
  readonly input?: unknown
  /** Load and call so often; between two rounds a line is read from standard input. */
  readonly rounds?: number
  /** Where temporary files go. */
  readonly temporary?: string
  /** Load these instead, one after another, and give a list. */
  readonly jobs?: readonly Job[]
}

const job: Job = JSON.parse(process.argv[2] ?? '{}')
if (job.temporary !== undefined) process.env['TMPDIR'] = job.temporary
const printed: [string, string][] = []
const capture = captureOutput((stream, text) => printed.push([stream, text]))
const gate = openExitGate((error) => writeSync(1, JSON.stringify(failure(error))))

void gate
  .guard(work(), () => `${job.argument} was loading`)
  .then(report, (error: unknown) => {
    process.exitCode = 1
    report(failure(error))
  })

async function work(): Promise<unknown> {
  if (job.jobs !== undefined) return all(job.jobs)
  const rounds: unknown[] = []
  for (let round = 0; round < (job.rounds ?? 1); round++) {
    if (round > 0) await nextLine()
    rounds.push(await once(job))
  }
  return rounds.length === 1 ? rounds[0] : rounds
}

async function all(jobs: readonly Job[]): Promise<unknown> {
  const results: unknown[] = []
  for (const each of jobs) results.push(await once(each).catch(failure))
  return { results, ...compilers() }
}

async function once(request: Job): Promise<object> {
  const { flow, ...loaded } = await loadFlow(request)
  const call: unknown = typeof flow === 'function' ? flow : undefined
  const output: unknown =
    isCallable(call) && 'input' in request ? await call(request.input) : undefined
  return { ...loaded, output, kind: typeof flow, printed, ...compilers() }
}

function compilers(): { readonly tsx: boolean; readonly esbuild: boolean } {
  return {
    tsx: Symbol.for('test.tsx') in globalThis,
    esbuild: Object.keys(require.cache).some((file) => file.includes('/esbuild/lib/')),
  }
}

function report(value: unknown): void {
  capture.restore()
  gate.close()
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

function failure(error: unknown): unknown {
  if (!isHexagonError(error)) return { crash: error instanceof Error ? error.stack : String(error) }
  const { code, message, hint, details } = error
  return { code, message, hint, details }
}

function isCallable(value: unknown): value is (input: unknown) => unknown {
  return typeof value === 'function'
}

function nextLine(): Promise<void> {
  capture.write('{"next":true}\n')
  return new Promise((resolve) => {
    process.stdin.once('data', () => resolve())
  })
}
