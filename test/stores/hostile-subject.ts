import { expect } from 'vitest'

import { HexagonError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/store.ts'
import { answers, claimant, edit, newThread, question } from '../contracts/store-data.ts'

/** Three threads that wait, of which `b` has an answer, and one that has ended. */
export async function fillStore(store: Store): Promise<void> {
  for (const id of ['a', 'b', 'c']) {
    await store.create(newThread(id, { records: [['state.x', '{"y":[1]}']], events: ['{"e":1}'] }))
    const open = [question(`i_${id}1`, 1), question(`i_${id}2`, 2)]
    await store.commit(edit(id, 1, { open, puts: [['odd', '{ }']], events: ['{"e":2}'] }))
  }
  await store.answer(answers('b', { i_b1: 'true' }))
  await store.create(newThread('done'))
  await store.commit(edit('done', 1, { status: 'completed' }))
}

/** Everything one does with a thread; each either works or says by name why not. */
export async function useAll(store: Store, id: string): Promise<void> {
  const acts: (() => Promise<unknown>)[] = [
    () => store.load(id),
    () => store.events(id, { after: 0 }),
    () => store.history(id, {}),
    () => store.checkpointAt(id, 1),
    () => store.checkpointAt(id, 2),
    () => store.answer(answers(id, { [`i_${id}2`]: 'true' })),
    () => store.claim(id, claimant()),
    () => store.commit(edit(id, 2, { puts: [['k', '1']] })),
    () => store.claimReady(claimant(), 10),
  ]
  for (const act of acts) {
    await act().catch((error: unknown) => {
      if (!(error instanceof HexagonError)) throw error
    })
  }
}

/** The threads beside `b` are listed and read. */
export async function expectOthersUnhurt(store: Store): Promise<void> {
  const pending = await store.pending()
  const ids = pending.items.map(({ head }) => head.id)
  expect(ids).toEqual(expect.arrayContaining(['a', 'c']))
  const threads = await store.threads()
  expect(threads.items.map(({ id }) => id)).toEqual(expect.arrayContaining(['a', 'c']))
  expect((await store.load('a'))?.interrupts).toHaveLength(2)
}
