import { expect, test } from 'vitest'

import { flow, interruptForApproval, Runner } from '../../src/index.ts'
import { memoryStore, type Store } from '../../src/stores/index.ts'

test('B62 a thread that somebody ended between the look and the claim is not run once more', async () => {
  const store = memoryStore()
  const ask = flow('ask', async () => interruptForApproval('Deploy?'))
  const runner = new Runner({ store, flows: [ask] })
  const { interrupts } = await runner.invoke(ask, {}, { threadId: 't' })
  const answers = { [interrupts[0]?.id ?? '']: true }
  let isFirst = true
  const slow: Store = new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'claim') return typeof value === 'function' ? value.bind(target) : value
      const claim: Store['claim'] = async (id, claimant) => {
        if (isFirst) await runner.resume('t', { answers }).result
        isFirst = false
        return target.claim(id, claimant)
      }
      return claim
    },
  })

  const late = new Runner({ store: slow, flows: [ask] }).resume('t', { answers }).result

  await expect(late).rejects.toMatchObject({ code: 'E1307' })
  const { head } = (await store.load('t')) ?? {}
  expect(head).toMatchObject({ status: 'completed' })
  expect((await store.history('t')).filter(({ status }) => status === 'completed')).toHaveLength(1)
})
