// Reads a store that this process may not write, and tries to write it; says what came of each.
//
//   node read-only-scenario.mjs <file|sqlite> <path>

import { isHexagonError } from '../../src/core/errors.ts'
import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { answers, claimant, edit, newThread } from '../contracts/store-data.ts'

const [kind, path = ''] = process.argv.slice(2)
const store = kind === 'sqlite' ? sqliteStore(path) : fileStore(path)
const outcomes = {
  pending: await resultOf(async () => (await store.pending()).items.length),
  load: await resultOf(async () => (await store.load('t'))?.head.version),
  events: await resultOf(async () => (await store.events('t')).length),
  create: await resultOf(() => store.create(newThread('u'))),
  claim: await resultOf(() => store.claim('t', claimant())),
  commit: await resultOf(() => store.commit(edit('t', 2))),
  answer: await resultOf(() => store.answer(answers('t', { i_a: '1' }))),
  delete: await resultOf(() => store.delete('t')),
  again: await resultOf(async () => (await store.load('t'))?.head.version),
}
await store.close()
process.stdout.write(JSON.stringify(outcomes))

async function resultOf(act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act()
  } catch (error) {
    return isHexagonError(error) ? `${error.code} ${error.message}` : String(error)
  }
}
