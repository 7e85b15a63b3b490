// What a store keeps when the process that holds a thread is killed. Only for stores that several
// processes can reach.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { ProcessActor } from './store-actor.ts'
import { allPending, answers, askingThread, claimant, newThread } from './store-data.ts'
import type { Setup, StoreLocation, StoreSubject } from './store-subject.ts'

/** Proves that nothing is lost with a process that is killed. */
export function describeCrashes(name: string, setup: Setup): void {
  describe(`${name} outlives its processes`, () => {
    let subject: StoreSubject
    let store: Store

    beforeEach(async () => {
      subject = await setup()
      store = subject.store
    })
    afterEach(() => subject.dispose())

    function child(): Promise<ProcessActor> {
      return new ProcessActor(subject.location as StoreLocation).started()
    }

    test('14 a killed holder is taken over, a live one is not', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      await store.create(newThread('u', { status: 'ready' }))
      const holder = await child()
      const fence = await holder.run('claim', { id: 't' })
      await holder.run('claim', { id: 'u' })
      await store.answer(answers('t', { i_a: '"kept"' }))
      await expect(store.claim('t', claimant())).rejects.toMatchObject({ code: 'E1306' })
      expect(await store.claimReady(claimant(), 10)).toEqual([])

      await holder.kill()

      const seen = await store.load('t')
      expect(seen?.head).toMatchObject({ status: 'running', lease: { alive: false } })
      const taken = await store.claim('t', claimant('next'))
      expect(taken.fence).toBe(fence + 1)
      expect(taken.head).toMatchObject({ attempts: 2, lease: { owner: 'next', alive: true } })
      expect(taken.interrupts[0]).toMatchObject({ status: 'answered', answer: { value: '"kept"' } })
      const rest = await store.claimReady(claimant('next'), 10)
      expect(rest.map(({ head }) => head.id)).toEqual(['u'])
    })

    test('14 of four that take over from a killed holder, one gets each thread', async () => {
      const ids = Array.from({ length: 40 }, (_, index) => `t${index}`)
      for (const id of ids) await store.create(newThread(id))
      const [holder, ...rivals] = await Promise.all([child(), child(), child(), child(), child()])
      expect(await holder.run('raceClaims', { by: 'holder', ids })).toEqual(ids)
      await holder.kill()

      const won = await Promise.all(
        rivals.map((rival, index) => rival.run('raceClaims', { by: String(index), ids })),
      )

      expect(won.flat().toSorted()).toEqual(ids.toSorted())
      for (const id of ids) expect((await store.load(id))?.head).toMatchObject({ fence: 2 })
      await Promise.all(rivals.map((rival) => rival.kill()))
    })

    test('15 killed in the middle of commits, state, history, events and pending agree', async () => {
      await store.create(newThread('t', { records: [['n', '1']] }))
      for (let kill = 0; kill < 4; kill++) {
        const holder = await child()
        const last = await killedAfter(holder, 15 + kill * 7)

        const thread = await store.load('t')
        const version = thread?.head.version ?? 0
        expect(version).toBeGreaterThanOrEqual(last)
        expect(thread?.records.get('n')).toBe(String(version))
        const history = await store.history('t')
        expect(history.map((info) => info.version)).toEqual(
          Array.from({ length: version }, (_, index) => version - index),
        )
        const events = await store.events('t')
        expect(events.map(({ seq, body }) => [seq, JSON.parse(body).next])).toEqual(
          Array.from({ length: version - 1 }, (_, index) => [index + 1, index + 2]),
        )
        const [waiting] = await allPending(store)
        expect(waiting?.open.map(({ id }) => id)).toEqual([`i_${version}`])
        expect((await store.checkpointAt('t', version - 3))?.records.get('n')).toBe(
          String(version - 3),
        )
      }
      const { fence, head } = await store.claim('t', claimant())
      const batch = { threadId: 't', expectVersion: head.version, fence, release: true }
      await store.commit({ ...batch, status: 'completed', cancel: [`i_${head.version}`] })
      expect((await store.load('t'))?.head.status).toBe('completed')
      expect(await allPending(store)).toEqual([])
    })
  })
}

/** Lets a child commit `count` times and kills it in the middle of the next; gives the last version it was sure of. */
async function killedAfter(holder: ProcessActor, count: number): Promise<number> {
  let last = 0
  let seen = 0
  const work = holder.follow('commitForever', { threadId: 't' }, (version) => {
    last = Number(version)
    if (++seen === count) void holder.kill()
  })
  await expect(work).rejects.toThrow('the process ended')
  return last
}
