// What every store keeps, one test for each numbered promise. Races run with several actors: in
// processes of their own when the store can be reached from there, side by side in this one otherwise.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { Store, StoredThread } from '../../src/core/store.ts'
import { localActor, ProcessActor, type Actor } from './store-actor.ts'
import {
  allPending,
  allThreads,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
  question,
} from './store-data.ts'
import type { Setup, StoreSubject } from './store-subject.ts'

const ACTORS = 4

/** Proves the store contract over one implementation. */
export function describeStore(name: string, setup: Setup): void {
  describe(`${name} keeps the store contract`, () => {
    let subject: StoreSubject
    let store: Store
    const processes: ProcessActor[] = []

    beforeAll(async () => {
      const probe = await setup()
      const { location } = probe
      if (location !== undefined) {
        const children = Array.from({ length: ACTORS }, () => new ProcessActor(location))
        processes.push(...(await Promise.all(children.map((child) => child.started()))))
      }
      await probe.dispose()
    })
    afterAll(async () => {
      await Promise.all(processes.map((child) => child.kill()))
    })
    beforeEach(async () => {
      subject = await setup()
      store = subject.store
    })
    afterEach(() => subject.dispose())

    /** Four users of the store under test. */
    function actors(): readonly [Actor, Actor, Actor, Actor] {
      const { location } = subject
      const actor = (index: number): Actor =>
        location === undefined
          ? localActor(store)
          : (processes[index]?.at(location) ?? localActor(store))
      return [actor(0), actor(1), actor(2), actor(3)]
    }

    async function loaded(id: string): Promise<StoredThread> {
      const thread = await store.load(id)
      if (thread === undefined) throw new Error(`thread ${id} is missing`)
      return thread
    }

    test('01 init works from four actors at once', async () => {
      const results = await Promise.all(actors().map((actor) => actor.run('init', undefined)))

      expect(results).toEqual(['done', 'done', 'done', 'done'])
      await store.create(newThread('after'))
      expect((await loaded('after')).head.version).toBe(1)
    })

    test('02 a new thread comes back exactly, and only one can be made', async () => {
      const records = [
        ['state.text', JSON.stringify('žluťoučký 🐎 ⛰️ \u2028')],
        ['numbers', '[-1.5, 1e21, 0.1, 1.0, 12345678901234567890, -0]'],
        ['', '{"":{"":[]},"__proto__":{"a":1},"2":1,"1":2}'],
        ['__proto__', '{"isAdmin":true}'],
        ['spaced', '{\n  "a" : [ 1 ,\t2 ]\n}'],
      ] as const
      await store.create(newThread('t', { meta: '{"who":"ann"}', flow: 'f', records }))

      const { head, records: stored, interrupts } = await loaded('t')

      expect([...stored]).toEqual(records)
      expect(head).toMatchObject({ id: 't', flow: 'f', status: 'suspended', version: 1, fence: 0 })
      expect(head).toMatchObject({ meta: '{"who":"ann"}', wake: 'any', attempts: 0 })
      expect(interrupts).toEqual([])
      await expect(store.create(newThread('t'))).rejects.toMatchObject({ code: 'E1314' })
      expect(await store.load('other')).toBeUndefined()
    })

    test('03 of four that create one thread, one succeeds', async () => {
      const users = actors()
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const results = await Promise.all(
          users.map((actor, index) => actor.run('create', { id, by: String(index) })),
        )

        expect(results.toSorted()).toEqual(['E1314', 'E1314', 'E1314', 'done'])
        const winner = results.indexOf('done')
        expect((await loaded(id)).head.meta).toBe(JSON.stringify({ by: String(winner) }))
      }
    })

    test('04 a commit on another version is refused and writes nothing', async () => {
      await store.create(newThread('t', { records: [['a', '1']] }))
      await store.commit(edit('t', 1, { puts: [['a', '2']], events: ['"two"'] }))

      for (const version of [0, 1, 3]) {
        const late = edit('t', version, { puts: [['a', '9']], events: ['"late"'], deletes: ['b'] })
        await expect(store.commit(late)).rejects.toMatchObject({ code: 'E1307' })
      }

      const { head, records } = await loaded('t')
      expect(head.version).toBe(2)
      expect([...records]).toEqual([['a', '2']])
      expect((await store.events('t')).map(({ body }) => body)).toEqual(['"two"'])
    })

    test('05 each version is made by one of four racing committers', async () => {
      await store.create(newThread('t'))
      const until = 41

      const won = await Promise.all(
        actors().map((actor, index) =>
          actor.run('raceCommits', { threadId: 't', by: String(index), until }),
        ),
      )

      const { head, records } = await loaded('t')
      const winners = new Map(
        won.flatMap((list, by) => list.map((version) => [version, by] as const)),
      )
      expect(won.flat()).toHaveLength(until - 1)
      expect(winners.size).toBe(until - 1)
      expect(head.version).toBe(until)
      for (const [version, by] of winners) {
        expect(records.get(`v${version}`)).toBe(JSON.stringify(String(by)))
      }
      const events = await store.events('t')
      expect(events.map(({ body }) => JSON.parse(body).next)).toEqual(
        Array.from({ length: until - 1 }, (_, index) => index + 2),
      )
    })

    test('06 a question is answered once and consumed once, and the answer is kept whole', async () => {
      await askingThread(store, 't', { ids: ['i_a', 'i_b'] })
      await store.answer(answers('t', { i_a: '{"yes":[true]}' }, { by: 'zoe', requestId: 'r1' }))

      const second = store.answer(answers('t', { i_a: 'false' }, { by: 'ann' }))
      await expect(second).rejects.toMatchObject({ code: 'E1307', details: { by: 'zoe' } })

      const { head, interrupts } = await loaded('t')
      expect(interrupts.map(({ id, status }) => [id, status])).toEqual([
        ['i_a', 'answered'],
        ['i_b', 'open'],
      ])
      expect(interrupts[0]).toMatchObject({
        answer: { value: '{"yes":[true]}', by: 'zoe', requestId: 'r1', source: '{"via":"call"}' },
        body: question('i_a', 1).body,
      })
      expect(Date.parse(interrupts[0]?.answer?.at ?? '')).not.toBeNaN()
      const open = edit('t', head.version, { consume: ['i_b'] })
      await expect(store.commit(open)).rejects.toMatchObject({ code: 'E1214' })
      await store.commit(edit('t', head.version, { consume: ['i_a'] }))
      const again = edit('t', head.version + 1, { consume: ['i_a'] })
      await expect(store.commit(again)).rejects.toMatchObject({ code: 'E1214' })
      expect((await loaded('t')).interrupts[0]).toMatchObject({ status: 'consumed' })
    })

    test('07 of four that answer 25 questions, each question has one winner', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `i_${index}`)
      await askingThread(store, 't', { ids })

      const won = await Promise.all(
        actors().map((actor, index) =>
          actor.run('raceAnswers', { threadId: 't', by: String(index), ids }),
        ),
      )

      expect(won.flat().toSorted()).toEqual(ids.toSorted())
      const { interrupts } = await loaded('t')
      for (const { id, status, answer } of interrupts) {
        expect(status).toBe('answered')
        expect(won[Number(answer?.by)]).toContain(id)
      }
    })

    test('08 a batch of answers is stored whole or not at all', async () => {
      await askingThread(store, 't', { ids: ['i_a', 'i_b', 'i_c'] })
      await askingThread(store, 'u', { ids: ['i_u'] })
      await store.answer(answers('t', { i_b: '1' }))

      await expect(store.answer(answers('t', { i_a: '1', i_b: '2' }))).rejects.toMatchObject({
        code: 'E1307',
      })
      await expect(store.answer(answers('t', { i_a: '1', i_u: '2' }))).rejects.toMatchObject({
        code: 'E1214',
      })
      await expect(store.answer(answers('nobody', { i_a: '1' }))).rejects.toMatchObject({
        code: 'E1301',
      })
      const twice = answers('t', { i_a: '1' })
      await expect(
        store.answer({ ...twice, answers: [...twice.answers, { id: 'i_a', value: '2' }] }),
      ).rejects.toMatchObject({ code: 'E1307' })

      const statuses = (await loaded('t')).interrupts.map(({ status }) => status)
      expect(statuses).toEqual(['open', 'answered', 'open'])
      expect((await loaded('u')).interrupts[0]?.status).toBe('open')
      await store.answer(answers('t', { i_c: '1', i_a: '2' }))
      expect((await allPending(store)).map(({ head }) => head.id)).toEqual(['u'])
    })

    test('09 a thread wakes on any answer, or on the last one', async () => {
      await askingThread(store, 'any', { ids: ['i_a', 'i_b'] })
      await askingThread(store, 'all', { ids: ['i_c', 'i_d'], wake: 'all' })

      expect(await store.answer(answers('any', { i_a: '1' }))).toEqual({ woken: true })
      expect(await store.answer(answers('any', { i_b: '1' }))).toEqual({ woken: false })
      expect(await store.answer(answers('all', { i_c: '1' }))).toEqual({ woken: false })
      expect((await loaded('all')).head.status).toBe('suspended')
      expect(await store.answer(answers('all', { i_d: '1' }))).toEqual({ woken: true })

      expect((await loaded('any')).head.status).toBe('ready')
      expect((await loaded('all')).head.status).toBe('ready')
    })

    test('10 two halves answered at the same instant wake a thread exactly once', async () => {
      const [first, second] = actors()
      for (let round = 0; round < 12; round++) {
        const id = `t${round}`
        await askingThread(store, id, { ids: ['i_a', 'i_b'], wake: 'all' })

        const results = await Promise.all([
          first.run('answer', { threadId: id, values: { i_a: '1' } }),
          second.run('answer', { threadId: id, values: { i_b: '1' } }),
        ])

        expect(results.filter((result) => result.woken)).toHaveLength(1)
        expect((await loaded(id)).head.status).toBe('ready')
      }
    })

    test('11 four that claim 60 threads get each thread once', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `t${index}`)
      for (const id of ids) await store.create(newThread(id, { status: 'ready' }))

      const won = await Promise.all(
        actors().map((actor, index) => actor.run('raceClaims', { by: String(index), ids })),
      )

      expect(won.flat().toSorted()).toEqual(ids.toSorted())
      expect(await store.claimReady(claimant('late'), 100)).toEqual([])
    })

    test('12 a lease keeps others out until it is lost, and fences and attempts grow', async () => {
      await store.create(newThread('t', { status: 'ready' }))
      const first = await store.claim('t', claimant('one'))
      expect(first).toMatchObject({ fence: 1, head: { status: 'running', attempts: 1, fence: 1 } })
      expect(first.head.lease).toMatchObject({ owner: 'one', alive: true })
      await expect(store.claim('t', claimant('two'))).rejects.toMatchObject({
        code: 'E1306',
        holder: { host: expect.any(String), since: expect.any(String) },
      })
      expect(await store.claimReady(claimant('two'), 10)).toEqual([])

      const kept = await store.heartbeat(claimant('one'), [
        { id: 't', fence: 1 },
        { id: 't', fence: 2 },
        { id: 'none', fence: 1 },
      ])
      expect(kept).toEqual(['t'])

      await subject.loseLease('t')
      const second = await store.claim('t', { ...claimant('two'), steal: true })
      expect(second).toMatchObject({ fence: 2, head: { attempts: 2, lease: { owner: 'two' } } })
      await store.commit({
        threadId: 't',
        expectVersion: 1,
        fence: 2,
        status: 'suspended',
        release: true,
      })
      const third = await store.claim('t', claimant('three'))
      expect(third).toMatchObject({ fence: 3, head: { attempts: 1, version: 2 } })
    })

    test('13 a former holder can write nothing, and nobody edits a leased thread', async () => {
      const other = await subject.reopen()
      await askingThread(store, 't', { ids: ['i_a'] })
      const old = await store.claim('t', claimant('old'))
      await expect(other.commit(edit('t', 2))).rejects.toMatchObject({ code: 'E1306' })
      await expect(other.delete('t')).rejects.toMatchObject({ code: 'E1306' })
      await subject.loseLease('t')
      const now = await other.claim('t', { ...claimant('new'), steal: true })

      const late = { ...edit('t', 2), fence: old.fence, puts: [['a', '1'] as const] }
      await expect(store.commit(late)).rejects.toMatchObject({ code: 'E1306' })
      await expect(store.commit({ ...late, release: true })).rejects.toMatchObject({
        code: 'E1306',
      })
      await expect(store.takeAnswers('t', old.fence)).rejects.toMatchObject({ code: 'E1306' })
      expect(await store.release('t', old.fence)).toBe(false)
      expect(await store.heartbeat(claimant('old'), [{ id: 't', fence: old.fence }])).toEqual([])

      const { head, records } = await loaded('t')
      expect([head.version, head.status, head.lease?.owner]).toEqual([2, 'running', 'new'])
      expect(records.size).toBe(0)
      const batch = { ...edit('t', 2), fence: now.fence, release: true }
      expect(await other.commit(batch)).toEqual({ version: 3, status: 'suspended' })
      await expect(other.commit({ ...batch, expectVersion: 3 })).rejects.toMatchObject({
        code: 'E1306',
      })
    })

    test('16 pending pages without loss or repeat, filters, and drops what is answered', async () => {
      const ids = Array.from({ length: 23 }, (_, index) => `t${index}`)
      for (const id of ids) {
        await store.create(newThread(id, { flow: id.length === 2 ? 'short' : 'long' }))
        const open = [question(`i_${id}_b`, 2), question(`i_${id}_a`, 1)]
        await store.commit(edit(id, 1, { open }))
      }
      await store.create(newThread('quiet'))
      await store.answer(answers('t3', { i_t3_a: '1' }))
      await store.answer(answers('t4', { i_t4_a: '1', i_t4_b: '1' }))
      await store.commit(edit('t5', 2, { cancel: ['i_t5_a', 'i_t5_b'], status: 'cancelled' }))
      await store.commit(edit('t6', 2, { expire: ['i_t6_a', 'i_t6_b'] }))
      await store.claim('t7', claimant())

      const all = await allPending(store)

      const expected = ids.filter((id) => !['t4', 't5', 't6'].includes(id))
      expect(all.map(({ head }) => head.id).toSorted()).toEqual(expected.toSorted())
      const byId = new Map(all.map((item) => [item.head.id, item]))
      expect(byId.get('t0')?.open.map(({ id }) => id)).toEqual(['i_t0_a', 'i_t0_b'])
      expect(byId.get('t0')?.open[0]).toEqual({ ...question('i_t0_a', 1), status: 'open' })
      expect(byId.get('t3')).toMatchObject({ answered: 1, head: { status: 'ready', version: 2 } })
      expect(byId.get('t7')?.head).toMatchObject({ status: 'running', lease: { alive: true } })
      const short = await store.pending({ flow: 'short' })
      expect(short.items.map(({ head }) => head.id).toSorted()).toEqual(
        expected.filter((id) => id.length === 2).toSorted(),
      )
      const one = await store.pending({ threadId: 't12' })
      expect(one.items.map(({ head }) => head.id)).toEqual(['t12'])
      expect((await store.pending({ threadId: 'nobody' })).items).toEqual([])
      expect((await allThreads(store)).map(({ id }) => id).toSorted()).toEqual(
        [...ids, 'quiet'].toSorted(),
      )
      const closed = await store.threads({ status: ['cancelled', 'completed'] })
      expect(closed.items.map(({ id, status }) => [id, status])).toEqual([['t5', 'cancelled']])
    })

    test('17 events are dense and paged, history is newest first, old checkpoints can be read', async () => {
      await store.create(newThread('t', { events: ['"a"', '"b"'], records: [['n', '1']] }))
      for (let version = 1; version < 30; version++) {
        const events = version % 3 === 0 ? [] : [`"e${version}"`]
        const next = version + 1
        await store.commit(
          edit('t', version, { label: `step ${next}`, events, puts: [['n', String(next)]] }),
        )
      }

      const events = await store.events('t')
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      expect(events.slice(0, 4)).toEqual([
        { seq: 1, version: 1, body: '"a"' },
        { seq: 2, version: 1, body: '"b"' },
        { seq: 3, version: 2, body: '"e1"' },
        { seq: 4, version: 3, body: '"e2"' },
      ])
      expect(await store.events('t', { after: 3, limit: 2 })).toEqual(events.slice(3, 5))
      expect(await store.events('t', { after: events.length })).toEqual([])
      const history = await store.history('t')
      expect(history.map(({ version }) => version)).toEqual(
        Array.from({ length: 30 }, (_, index) => 30 - index),
      )
      expect(history[0]).toMatchObject({ label: 'step 30', status: 'suspended' })
      const page = await store.history('t', { before: 10, limit: 3 })
      expect(page.map(({ version }) => version)).toEqual([9, 8, 7])
      for (const version of [1, 2, 17, 30]) {
        const past = await store.checkpointAt('t', version)
        expect(past?.head.version).toBe(version)
        expect(past?.records.get('n')).toBe(String(version))
      }
      expect(await store.checkpointAt('t', 31)).toBeUndefined()
      expect(await store.checkpointAt('nobody', 1)).toBeUndefined()
      expect(await store.events('nobody')).toEqual([])
    })

    test('17 a thread that had ended and went on has every checkpoint', async () => {
      await store.create(newThread('t'))
      await store.commit(edit('t', 1, { status: 'completed', puts: [['n', '2']] }))
      await store.commit(edit('t', 2, { puts: [['n', '3']] }))
      await store.commit(edit('t', 3, { status: 'completed', puts: [['n', '4']] }))
      await store.commit(edit('t', 4, { status: 'completed', puts: [['n', '5']] }))

      for (const version of [2, 3, 4, 5]) {
        const past = await store.checkpointAt('t', version)
        expect([past?.head.version, past?.records.get('n')]).toEqual([version, String(version)])
      }
    })

    test('18 a thread that is to run later is not claimed before its time', async () => {
      const later = new Date(Date.now() + 3_600_000).toISOString()
      await store.create(newThread('t'))
      await store.commit(edit('t', 1, { status: 'ready', runAfter: later }))
      expect(await store.claimReady(claimant(), 10)).toEqual([])

      subject.passTime(3_600_001)
      const [claimed] = await store.claimReady(claimant(), 10)
      expect(claimed?.head.id).toBe('t')
      const again = new Date(Date.now() + 7_300_000).toISOString()
      expect(await store.release('t', claimed?.fence ?? 0, { runAfter: again })).toBe(true)
      expect(await store.claimReady(claimant(), 10)).toEqual([])
      expect((await loaded('t')).head.status).toBe('ready')

      subject.passTime(3_700_000)
      expect(await store.claimReady(claimant(), 10)).toHaveLength(1)
    })

    test('19 large records come back, larger ones are refused, blobs are found by hash', async () => {
      const large = JSON.stringify('ž'.repeat(2 * 1024 * 1024))
      await store.create(newThread('t', { records: [['large', large]] }))
      await store.commit(edit('t', 1, { puts: [['other', large]] }))
      expect((await loaded('t')).records.get('other') === large).toBe(true)

      const limited = await setup({ maxInlineBytes: 1000 })
      await limited.store.create(newThread('t'))
      const text = JSON.stringify('ž'.repeat(500))
      const over = edit('t', 1, {
        puts: [
          ['a', '1'],
          ['b', text],
        ],
      })
      await expect(limited.store.commit(over)).rejects.toMatchObject({ code: 'E2108' })
      const tooLarge = newThread('u', { records: [['large', text]] })
      await expect(limited.store.create(tooLarge)).rejects.toMatchObject({ code: 'E2108' })
      expect((await limited.store.load('t'))?.head.version).toBe(1)
      expect((await limited.store.load('t'))?.records.size).toBe(0)
      expect(await limited.store.load('u')).toBeUndefined()
      await limited.dispose()

      const bytes = new Uint8Array(300_000).map((_, index) => index % 251)
      const hash = await store.putBlob(bytes)
      expect(hash).toMatch(/^[0-9a-f]{64}$/)
      expect(await store.putBlob(bytes)).toBe(hash)
      expect(Buffer.compare((await store.getBlob(hash)) ?? new Uint8Array(), bytes)).toBe(0)
      expect(await store.getBlob('0'.repeat(64))).toBeUndefined()
    })

    test('20 NUL and lone surrogates survive everywhere', async () => {
      const odd = JSON.stringify({ nul: '\u0000', high: '\ud800', low: 'x\udc00y' })
      await store.create(
        newThread('t', { meta: odd, records: [['a\u0000\ud800', odd]], events: [odd] }),
      )
      const open = [{ ...question('i_a', 1), body: odd, kind: 'odd\u0000' }]
      await store.commit(edit('t', 1, { open, label: '\ud800' }))
      await store.answer(answers('t', { i_a: odd }, { by: 'ann\u0000' }))

      const other = await subject.reopen()
      const thread = await other.load('t')

      expect(thread?.head.meta).toBe(odd)
      expect([...(thread?.records ?? [])]).toEqual([['a\u0000\ud800', odd]])
      expect(thread?.interrupts[0]).toMatchObject({
        body: odd,
        answer: { value: odd, by: 'ann\u0000' },
      })
      expect((await other.events('t'))[0]?.body).toBe(odd)
      expect((await other.history('t'))[0]?.label).toBe('\ud800')
    })

    test('21 wait ends when something changes, and at the latest after its time', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      const other = await subject.reopen()

      const started = performance.now()
      const waited = other.wait(20_000)
      await store.answer(answers('t', { i_a: '1' }))
      await waited
      expect(performance.now() - started).toBeLessThan(10_000)
      await other.wait(5)
    })

    test(
      '22 200 threads end once each with two workers and two approvers',
      { timeout: 120_000 },
      async () => {
        const total = 200
        const ids = Array.from({ length: total }, (_, index) => `t${index}`)
        for (const id of ids) await store.create(newThread(id, { status: 'ready' }))
        const [one, two, ann, zoe] = actors()

        const counts = await Promise.all([
          one.run('work', { by: 'one', slots: 4 }),
          two.run('work', { by: 'two', slots: 4 }),
          ann.run('approve', { by: 'ann' }),
          zoe.run('approve', { by: 'zoe' }),
        ])

        expect([counts[0] + counts[1], counts[2] + counts[3]]).toEqual([total, total])
        for (const id of ids) {
          const { interrupts, head } = await loaded(id)
          const by = interrupts[0]?.answer?.by
          expect(head).toMatchObject({ status: 'completed', version: 4 })
          expect((await store.events(id)).map(({ body }) => body)).toEqual([
            '"worked"',
            '"asked"',
            JSON.stringify(['ended', JSON.stringify(by)]),
          ])
        }
        expect(await allPending(store)).toEqual([])
      },
    )

    test('23 an answer that comes while the thread runs is not lost', async () => {
      const outside = await subject.reopen()
      await askingThread(store, 't', { ids: ['i_a', 'i_b', 'i_c'] })
      const { fence } = await store.claim('t', claimant())
      expect(await store.takeAnswers('t', fence)).toEqual([])

      expect(await outside.answer(answers('t', { i_a: '"early"' }))).toEqual({ woken: false })
      expect(await store.takeAnswers('t', fence)).toMatchObject([
        { id: 'i_a', answer: { value: '"early"' } },
      ])
      expect(await store.takeAnswers('t', fence)).toEqual([])
      // Told, and not consumed: the holder knows, so nothing is to be woken.
      expect(await store.commit({ ...edit('t', 2), fence })).toMatchObject({ status: 'suspended' })

      await outside.answer(answers('t', { i_b: '"late"' }))
      const own = answers('t', { i_b: '1' }).answers.map(({ id, value }) => ({
        id,
        answer: {
          value,
          source: '{}',
          by: 'holder',
          at: '2026-01-01T00:00:00.000Z',
          requestId: 'r',
        },
      }))
      const refused = store.commit({ ...edit('t', 3), fence, status: 'running', answer: own })
      await expect(refused).rejects.toMatchObject({ code: 'E1307' })
      const batch = { ...edit('t', 3), fence, consume: ['i_a'], release: true }
      expect(await store.commit(batch)).toEqual({ version: 4, status: 'ready' })

      const [claimed] = await store.claimReady(claimant('next'), 1)
      expect(claimed?.interrupts.map(({ status }) => status)).toEqual([
        'consumed',
        'answered',
        'open',
      ])
      await outside.answer(answers('t', { i_c: '1' }))
      expect(await store.release('t', claimed?.fence ?? 0)).toBe(true)
      expect((await loaded('t')).head.status).toBe('ready')
    })

    test('24 an answer and a commit to suspended at the same instant leave the thread ready', async () => {
      const [outside] = actors()
      for (let round = 0; round < 40; round++) {
        const id = `t${round}`
        await askingThread(store, id, { ids: ['i_a'] })
        const { fence } = await store.claim(id, claimant())

        const [answered] = await Promise.all([
          outside.run('answer', { threadId: id, values: { i_a: '"yes"' } }),
          store.commit({ ...edit(id, 2), fence, release: true }),
        ])

        const { head, interrupts } = await loaded(id)
        expect([head.status, head.version, typeof answered.woken]).toEqual(['ready', 3, 'boolean'])
        expect(interrupts[0]).toMatchObject({ status: 'answered', answer: { value: '"yes"' } })
        const [claimed] = await store.claimReady(claimant(), 1)
        expect(claimed?.head.id).toBe(id)
        await store.commit({
          ...edit(id, 3, { status: 'completed', consume: ['i_a'], release: true }),
          fence: claimed?.fence ?? null,
        })
      }
    })

    test('25 the same request sent again succeeds for its sender only', async () => {
      await askingThread(store, 't', { ids: ['i_a', 'i_b'] })
      const request = answers('t', { i_a: '1' }, { by: 'ann', requestId: 'r1' })
      expect(await store.answer(request)).toEqual({ woken: true })

      expect(await store.answer(request)).toEqual({ woken: false })
      await expect(store.answer({ ...request, by: 'zoe' })).rejects.toMatchObject({
        code: 'E1307',
        details: { by: 'ann', at: expect.any(String) },
      })
      await expect(store.answer({ ...request, requestId: 'r2' })).rejects.toMatchObject({
        code: 'E1307',
      })

      await store.commit(edit('t', 2, { consume: ['i_a'], status: 'cancelled', cancel: ['i_b'] }))
      expect(await store.answer({ ...request, expectVersion: 2 })).toEqual({ woken: false })
      await expect(store.answer(answers('t', { i_a: '2' }))).rejects.toMatchObject({
        code: 'E1307',
      })
      await expect(store.answer(answers('t', { i_b: '2' }))).rejects.toMatchObject({
        code: 'E1214',
      })
    })

    test('27 a waiting and a running thread can be cancelled', async () => {
      await askingThread(store, 'waiting', { ids: ['i_a'] })
      await store.commit(edit('waiting', 2, { status: 'cancelled', cancel: ['i_a'] }))
      await askingThread(store, 'running', { ids: ['i_b'] })
      const { fence } = await store.claim('running', claimant())
      const batch = edit('running', 2, { status: 'cancelled', cancel: ['i_b'], release: true })
      await store.commit({ ...batch, fence })

      for (const id of ['waiting', 'running']) {
        const { head, interrupts } = await loaded(id)
        expect([head.status, interrupts[0]?.status]).toEqual(['cancelled', 'cancelled'])
        expect(head.lease).toBeUndefined()
      }
      await expect(store.answer(answers('waiting', { i_a: '1' }))).rejects.toMatchObject({
        code: 'E1214',
      })
      expect(await allPending(store)).toEqual([])
      expect(await store.claimReady(claimant(), 10)).toEqual([])
    })

    test('28 odd and long thread ids are kept apart', async () => {
      const ids = [
        'a/b:c;d%e',
        'a/b:c;d%f',
        '../../etc/x',
        '..',
        '.',
        'CON',
        'con',
        'nul.txt',
        'Release',
        'release',
        'RELEASE',
        'é',
        'e\u0301',
        '🐎',
        'a\u0000b',
        '\ud800',
        '\ud801',
        'x'.repeat(200),
        `${'x'.repeat(199)}y`,
        'dot.',
        'a b',
        'a.json',
        'a.log',
        'a.lock',
        'a',
      ]
      for (const id of ids) await store.create(newThread(id, { meta: JSON.stringify(id) }))

      for (const id of ids) expect((await loaded(id)).head.meta).toBe(JSON.stringify(id))
      expect((await allThreads(store)).map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
      for (const id of ['', '__proto__', 'constructor', 'prototype', 'i_x', 'x'.repeat(201)]) {
        await expect(store.create(newThread(id))).rejects.toMatchObject({ code: 'E1012' })
        await expect(store.load(id)).rejects.toMatchObject({ code: 'E1012' })
        await expect(store.claim(id, claimant())).rejects.toMatchObject({ code: 'E1012' })
      }
      expect(Object.keys(Object.prototype)).toEqual([])
    })

    test('29 deleting takes one thread and leaves the others and their blobs', async () => {
      const hash = await store.putBlob(Buffer.from('kept'))
      await askingThread(store, 't', { ids: ['i_a'] })
      await askingThread(store, 'u', { ids: ['i_b'] })
      const { fence } = await store.claim('t', claimant())
      await expect(store.delete('t')).rejects.toMatchObject({ code: 'E1306' })
      await store.commit({ ...edit('t', 2, { status: 'completed', release: true }), fence })

      expect(await store.delete('t')).toBe(true)

      expect(await store.delete('t')).toBe(false)
      expect(await store.load('t')).toBeUndefined()
      expect(await store.events('t')).toEqual([])
      expect((await loaded('u')).interrupts[0]?.status).toBe('open')
      expect(await store.getBlob(hash)).toEqual(new Uint8Array(Buffer.from('kept')))
      await store.create(newThread('t', { events: ['"new"'] }))
      expect((await store.events('t')).map(({ body }) => body)).toEqual(['"new"'])
      expect((await loaded('t')).interrupts).toEqual([])
    })

    test('29 pruning takes old checkpoints and their events only, and leaves the thread as it is', async () => {
      await askingThread(store, 't', { ids: ['i_a', 'i_b'] })
      for (let version = 2; version < 9; version++) {
        const puts = [[`k${version % 3}`, `"${version + 1}"`]] as const
        await store.commit(edit('t', version, { puts, events: [`"v${version + 1}"`] }))
      }
      await store.answer(answers('t', { i_a: 'true' }))
      const before = await loaded('t')
      const past = await store.checkpointAt('t', 7)

      expect(await store.prune('t', 3)).toEqual({ removed: 6, oldest: 7 })

      const versions = async (): Promise<number[]> =>
        (await store.history('t')).map(({ version }) => version)
      expect(await loaded('t')).toEqual(before)
      expect(await versions()).toEqual([9, 8, 7])
      expect(await store.checkpointAt('t', 7)).toEqual(past)
      for (const gone of [1, 2, 6]) expect(await store.checkpointAt('t', gone)).toBeUndefined()
      expect(await store.events('t')).toEqual([
        { seq: 5, version: 7, body: '"v7"' },
        { seq: 6, version: 8, body: '"v8"' },
        { seq: 7, version: 9, body: '"v9"' },
      ])
      expect((await allPending(store))[0]?.open.map(({ id }) => id)).toEqual(['i_b'])
      expect(await store.prune('t', 3)).toEqual({ removed: 0, oldest: 7 })
      expect(await store.prune('t', 0)).toEqual({ removed: 2, oldest: 9 })
      expect(await versions()).toEqual([9])
      expect(await loaded('t')).toEqual(before)
    })

    test('29 a pruned thread goes on, also when it is pruned again and has ended', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      await store.commit(edit('t', 2, { events: ['"3"'] }))
      await store.prune('t', 1)
      await store.answer(answers('t', { i_a: 'true' }))
      const { fence, head } = await store.claim('t', claimant())
      const end = { status: 'completed', release: true, events: ['"4"'], consume: ['i_a'] } as const
      await store.commit({ ...edit('t', head.version, end), fence })

      expect((await store.history('t')).map(({ version }) => version)).toEqual([4, 3])
      expect(await store.prune('t', 1)).toEqual({ removed: 1, oldest: 4 })
      expect((await loaded('t')).head).toMatchObject({ status: 'completed', version: 4 })
      expect((await store.checkpointAt('t', 4))?.interrupts[0]?.status).toBe('consumed')
      expect((await store.events('t')).map(({ seq, body }) => [seq, body])).toEqual([[2, '"4"']])
    })

    test('29 a thread somebody holds is not pruned, nor one that is not there', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      await store.claim('t', claimant())
      const before = await store.history('t')

      await expect(store.prune('t', 1)).rejects.toMatchObject({ code: 'E1306' })
      await expect(store.prune('other', 1)).rejects.toMatchObject({ code: 'E1301' })

      expect(await store.history('t')).toEqual(before)
    })

    test('31 a clock that is set back loses no thread, no lease and no order', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      await store.create(newThread('ready', { status: 'ready' }))
      const { fence } = await store.claim('t', claimant('one'))

      subject.passTime(-3_600_000)

      await expect(store.claim('t', claimant('two'))).rejects.toMatchObject({ code: 'E1306' })
      expect(await store.heartbeat(claimant('one'), [{ id: 't', fence }])).toEqual(['t'])
      await store.answer(answers('t', { i_a: '1' }))
      expect(await store.takeAnswers('t', fence)).toMatchObject([{ id: 'i_a' }])
      const batch = { ...edit('t', 2, { consume: ['i_a'], events: ['"late"'] }), fence }
      await store.commit({ ...batch, release: true })
      expect((await store.history('t')).map(({ version }) => version)).toEqual([3, 2, 1])
      expect((await store.events('t')).map(({ seq }) => seq)).toEqual([1])
      expect((await store.checkpointAt('t', 2))?.interrupts[0]?.status).toBe('open')
      const ready = await store.claimReady(claimant('two'), 5)
      expect(ready.map(({ head }) => head.id)).toEqual(['ready'])
      expect((await store.claim('t', claimant('two'))).fence).toBe(fence + 1)
    })

    test('a claim that commits nothing leaves the thread as it was', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      const before = await loaded('t')

      const { fence } = await store.claim('t', claimant())
      expect(await store.release('t', fence)).toBe(true)

      const after = await loaded('t')
      expect(after.head).toMatchObject({ status: 'suspended', version: before.head.version })
      expect(after.head.lease).toBeUndefined()
      expect(after.interrupts).toEqual(before.interrupts)
      expect(await store.release('t', fence)).toBe(false)
    })

    test('a question asked again under its id loses its old answer', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      await store.answer(answers('t', { i_a: '1' }))
      const body = '{"message":"changed"}'
      await store.commit(edit('t', 2, { open: [{ ...question('i_a', 1), body }] }))

      expect((await loaded('t')).interrupts).toEqual([
        { ...question('i_a', 1), body, status: 'open' },
      ])
      expect(await store.answer(answers('t', { i_a: '2' }))).toEqual({ woken: true })
      expect((await loaded('t')).interrupts[0]?.answer?.value).toBe('2')
    })

    test('an answer given on another version is refused', async () => {
      await askingThread(store, 't', { ids: ['i_a'] })
      const request = answers('t', { i_a: '1' })

      await expect(store.answer({ ...request, expectVersion: 1 })).rejects.toMatchObject({
        code: 'E1307',
        details: { expected: 1, actual: 2 },
      })
      expect(await store.answer({ ...request, expectVersion: 2 })).toEqual({ woken: true })
    })

    test('ten thousand answers given in one call are all kept', async () => {
      const ids = Array.from({ length: 10_000 }, (_, index) => `i_${index}`)
      await askingThread(store, 't', { ids })

      await store.answer(answers('t', Object.fromEntries(ids.map((id) => [id, 'true']))))

      const { interrupts } = await loaded('t')
      expect(interrupts.every(({ status }) => status === 'answered')).toBe(true)
      expect(interrupts.map(({ id }) => id)).toEqual(ids)
    })
  })
}
