// Does the contract suite notice? Each fault is put into a copy of the sources, and the suite is run on
// it; the promises that the fault breaks must be among the failures.

import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterAll, expect, test } from 'vitest'

interface Fault {
  readonly name: string
  readonly file: string
  readonly from: string | RegExp
  readonly to: string
  /** Numbers of the promises that are broken. */
  readonly broken: readonly string[]
  /** Where it shows; in memory when absent. */
  readonly suite?:
    | 'memory'
    | 'file-contract'
    | 'sqlite'
    | 'archive'
    | 'failing-disk'
    | 'sqlite-failing'
}

const FAULTS: readonly Fault[] = [
  {
    name: 'no version check',
    file: 'commit-plan.ts',
    from: 'batch.expectVersion !== state.version',
    to: 'false',
    broken: ['04'],
  },
  {
    name: 'no fence check',
    file: 'memory.ts',
    from: /if \(this\.#heldLease\(thread, fence\) === undefined\) throw .*\n/,
    to: '',
    broken: ['13'],
  },
  {
    name: 'a lost lock is not noticed',
    file: 'file/held-thread.ts',
    from: "this.#place !== 'given-up' && this.#lock.isHeld()",
    to: "this.#place !== 'given-up'",
    broken: ['13'],
    suite: 'file-contract',
  },
  {
    name: 'answers without a look at the status',
    file: 'question-check.ts',
    from: /if \(status [^\n]*throw alreadyAnswered[^\n]*\n[^\n]*throw unknownQuestion[^\n]*\n/,
    to: '',
    broken: ['06', '07', '08', '25'],
  },
  {
    name: 'a claim ignores the lease',
    file: 'memory.ts',
    from: 'return this.#clock() < lease.until',
    to: 'return lease.until < 0',
    broken: ['11', '12'],
  },
  {
    name: 'a batch is stored in part',
    file: 'answer-plan.ts',
    from: 'const answers = request.answers.map(',
    to: "const answers = request.answers.filter(({ id }) => edits.statusOf(id) === 'open').map(",
    broken: ['08'],
  },
  {
    name: 'no second look',
    file: 'commit-plan.ts',
    from: "status: isWoken ? 'ready' : batch.status",
    to: 'status: batch.status',
    broken: ['23', '24'],
  },
  {
    name: 'what was not answered is consumed',
    file: 'commit-plan.ts',
    from: "if (edits.statusOf(id) !== 'answered') throw unknownQuestion(state, id)",
    to: '',
    broken: ['06'],
  },
  {
    name: 'a heartbeat without a fence',
    file: 'memory.ts',
    from: 'const lease = thread && this.#heldLease(thread, fence)',
    to: 'const lease = thread?.lease',
    broken: ['12'],
  },
  {
    name: 'a cancelled question stays open',
    file: 'commit-plan.ts',
    from: "edits.set(id, 'cancelled')\n  return true",
    to: "edits.set(id, 'cancelled')\n  return false",
    broken: ['27'],
  },
  {
    name: 'any text names a thread',
    file: 'thread-id.ts',
    from: 'const problem = problemWith(id)',
    to: 'const problem = problemWith(id) && undefined',
    broken: ['28'],
  },
  {
    name: 'odd ids share a file',
    file: 'file/file-name.ts',
    from: /hash\w*\(id\)/u,
    to: "''",
    broken: ['28'],
    suite: 'file-contract',
  },
  {
    name: 'a copied thread has another number of changes',
    file: 'sqlite/archive.ts',
    from: 'lease: undefined, changes: through }',
    to: 'lease: undefined, changes: through + 1 }',
    broken: ['30'],
    suite: 'archive',
  },
  {
    name: 'an answer that nobody has taken in is not copied',
    file: 'file/archive.ts',
    from: 'if (news === undefined) return',
    to: 'if (news !== null) return',
    broken: ['30'],
    suite: 'archive',
  },
  {
    name: 'a ready thread waits for the time of its last change',
    file: 'sqlite/thread-rows.ts',
    from: 'state.runAfter === undefined ? 0 : Date.parse(state.runAfter)',
    to: 'Date.parse(state.runAfter ?? state.updatedAt)',
    broken: ['31'],
    suite: 'sqlite',
  },
  {
    name: 'what was not written counts',
    file: 'file/held-thread.ts',
    from: 'this.#log.append(change)\n    applyChange(this.#state, change)',
    to: 'applyChange(this.#state, change)\n    this.#log.append(change)',
    broken: ['32'],
    suite: 'failing-disk',
  },
  {
    name: 'a transaction that failed is committed',
    file: 'sqlite/database.ts',
    from: "connection.exec('rollback')",
    to: "connection.exec('commit')",
    broken: ['32'],
    suite: 'sqlite-failing',
  },
  {
    name: 'a thread wakes on any answer although it waits for all',
    file: 'thread-state.ts',
    from: "return state.wake === 'any' || open === 0",
    to: 'return open >= 0',
    broken: ['09'],
  },
  {
    name: 'pruning takes the newest checkpoint too',
    file: 'change-history.ts',
    from: 'Math.max(1, Math.trunc(keep))',
    to: 'Math.trunc(keep)',
    broken: ['29'],
  },
  {
    name: 'pruning looks at no lease',
    file: 'memory.ts',
    from: /if \(thread\.lease !== undefined[^\n]*\n[^\n]*\n    \}\n(?=    const \{ index)/u,
    to: '',
    broken: ['29'],
  },
]

const project = resolve(import.meta.dirname, '../..')
const root = mkdtempSync(join(tmpdir(), 'hexagon-mutation-'))
afterAll(() => rmSync(root, { recursive: true }))

test.each(FAULTS)('the suite notices: $name', { timeout: 120_000 }, async (fault) => {
  const copy = mutated(fault)

  const failed = await failedTests(copy, fault)

  expect(failed).toEqual(expect.arrayContaining([...fault.broken]))
})

const PARTS = [
  'src/core',
  'src/system',
  'src/stores',
  'test/contracts',
  'test/stores',
  'test/support',
]

function mutated({ name, file, from, to }: Fault): string {
  const copy = join(root, name.replaceAll(' ', '-'))
  for (const part of PARTS) {
    cpSync(join(project, part), join(copy, part), { recursive: true })
  }
  cpSync(join(project, 'package.json'), join(copy, 'package.json'))
  writeFileSync(join(copy, 'vitest.config.js'), "export default { test: { pool: 'forks' } }\n")
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  const path = join(copy, 'src/stores', file)
  const source = readFileSync(path, 'utf8')
  const changed = source.replace(from, () => to)
  if (changed === source) throw new Error(`${file} no longer has what "${name}" changes`)
  writeFileSync(path, changed)
  return copy
}

/** The numbers of the tests that failed. */
function failedTests(copy: string, { suite = 'memory', broken }: Fault): Promise<string[]> {
  const vitest = join(project, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', `test/stores/${suite}.test.ts`, '--reporter=json']
  // Races take long; what is looked for here is no race.
  if (suite !== 'memory') args.push('-t', `(^| )(04|${broken.join('|')}) `)
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { cwd: copy, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout) => {
        const report: { testResults: { assertionResults: { status: string; title: string }[] }[] } =
          JSON.parse(stdout)
        const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
        expect(tests.some(({ status }) => status === 'passed')).toBe(true)
        done(
          tests.filter(({ status }) => status === 'failed').map(({ title }) => title.slice(0, 2)),
        )
      },
    )
  })
}
