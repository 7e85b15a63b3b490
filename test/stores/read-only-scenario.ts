// Reads a store that this process may not write, and tries to write it; says what came of each.
//
//   node read-only-scenario.mjs <folder>

import { isHexagonError } from '../../src/core/errors.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, claimant, edit, newThread } from '../contracts/store-data.ts'

const store = fileStore(process.argv[2] ?? '')
const outcomes = {
  pending: (await store.pending()).items.length,
  load: (await store.load('t'))?.head.version,
  events: (await store.events('t')).length,
  create: await refusal(() => store.create(newThread('u'))),
  claim: await refusal(() => store.claim('t', claimant())),
  commit: await refusal(() => store.commit(edit('t', 2))),
  answer: await refusal(() => store.answer(answers('t', { i_a: '1' }))),
  delete: await refusal(() => store.delete('t')),
  again: (await store.load('t'))?.head.version,
}
await store.close()
process.stdout.write(JSON.stringify(outcomes))

async function refusal(act: () => Promise<unknown>): Promise<string> {
  try {
    await act()
    return 'done'
  } catch (error) {
    return isHexagonError(error) ? `${error.code} ${error.message}` : String(error)
  }
}
