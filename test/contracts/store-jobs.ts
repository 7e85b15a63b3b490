import { isHexagonError } from '../../src/core/errors.ts'
import type { Claimed, Store } from '../../src/core/store.ts'
import { answers, claimant, edit, newThread, question } from './store-data.ts'

/** Tells the starter how far a job is. */
export type Report = (progress: unknown) => void

type Job = (store: Store, input: never, report: Report) => Promise<unknown>

/** What an actor can be told to do; the same in this process and in others. */
export const jobs = {
  init: async (store: Store): Promise<string> => outcome(() => store.init()),

  create: async (store: Store, { id, by }: { id: string; by: string }): Promise<string> =>
    outcome(() => store.create(newThread(id, { meta: JSON.stringify({ by }) }))),

  /** Everybody tries to make every version; gives the versions won. */
  async raceCommits(
    store: Store,
    { threadId, by, until }: { threadId: string; by: string; until: number },
  ): Promise<number[]> {
    const won: number[] = []
    for (;;) {
      const version = (await store.load(threadId))?.head.version ?? 0
      if (version >= until) return won
      const next = version + 1
      const batch = edit(threadId, version, {
        puts: [[`v${next}`, JSON.stringify(by)]],
        events: [JSON.stringify({ next, by })],
      })
      if ((await outcome(() => store.commit(batch))) === 'done') won.push(next)
    }
  },

  async raceAnswers(
    store: Store,
    { threadId, by, ids }: { threadId: string; by: string; ids: readonly string[] },
  ): Promise<string[]> {
    const won: string[] = []
    for (const id of ids) {
      const request = answers(threadId, { [id]: JSON.stringify(by) }, { by })
      const result = await outcome(() => store.answer(request))
      if (result === 'done') won.push(id)
      else if (result !== 'E1307') throw new Error(`answering ${id} gave ${result}`)
    }
    return won
  },

  async raceClaims(
    store: Store,
    { by, ids }: { by: string; ids: readonly string[] },
  ): Promise<string[]> {
    const won: string[] = []
    for (const id of ids) {
      const result = await outcome(() => store.claim(id, claimant(by)))
      if (result === 'done') won.push(id)
      else if (result !== 'E1306') throw new Error(`claiming ${id} gave ${result}`)
    }
    return won
  },

  async answer(
    store: Store,
    { threadId, values }: { threadId: string; values: Record<string, string> },
  ): Promise<{ woken: boolean }> {
    return store.answer(answers(threadId, values))
  },

  async claim(store: Store, { id }: { id: string }): Promise<number> {
    return (await store.claim(id, claimant('child'))).fence
  },

  async start(store: Store, { id, input }: { id: string; input: string }): Promise<void> {
    const records = [['input', input]] as const
    await store.create(newThread(id, { status: 'running', records, claim: claimant('child') }))
  },

  /** Commits until it is killed; reports each version that is durable. */
  async commitForever(
    store: Store,
    { threadId }: { threadId: string },
    report: Report,
  ): Promise<never> {
    const claimed = await store.claim(threadId, claimant('child'))
    let { version } = claimed.head
    let open = claimed.interrupts.find(({ status }) => status === 'open')?.id
    for (;;) {
      const next = version + 1
      const id = `i_${next}`
      await store.commit({
        threadId,
        expectVersion: version,
        fence: claimed.fence,
        status: next % 5 === 0 ? 'suspended' : 'running',
        puts: [
          ['n', String(next)],
          [`big${next % 3}`, JSON.stringify('x'.repeat(20_000))],
        ],
        cancel: open === undefined ? [] : [open],
        open: [question(id, next)],
        events: [JSON.stringify({ next })],
      })
      version = next
      open = id
      report(next)
    }
  },

  /** Runs whatever is ready, `slots` at a time, until every thread has ended here or elsewhere. */
  async work(store: Store, { by, slots }: { by: string; slots: number }): Promise<number> {
    let ended = 0
    const slot = async (): Promise<void> => {
      while (!(await isOver(store))) {
        const claimed = await store.claimReady(claimant(by), 2)
        if (claimed.length === 0) await store.wait(20)
        for (const thread of claimed) if (await advance(store, thread)) ended++
      }
    }
    await Promise.all(Array.from({ length: slots }, slot))
    return ended
  },

  /** Answers whatever is open until every thread has ended; gives how many answers were taken. */
  async approve(store: Store, { by }: { by: string }): Promise<number> {
    let taken = 0
    while (!(await isOver(store))) {
      const { items } = await store.pending({ limit: 50 })
      const requests = items.flatMap(({ head, open }) =>
        open.map(({ id }) => answers(head.id, { [id]: JSON.stringify(by) }, { by })),
      )
      for (const request of requests) {
        if ((await outcome(() => store.answer(request))) === 'done') taken++
      }
      if (items.length === 0) await store.wait(20)
    }
    return taken
  },
} satisfies Record<string, Job>

export type JobName = keyof typeof jobs

/** `done`, or the code of the error. */
export async function outcome(act: () => Promise<unknown>): Promise<string> {
  try {
    await act()
    return 'done'
  } catch (error) {
    if (isHexagonError(error)) return error.code
    throw error
  }
}

async function isOver(store: Store): Promise<boolean> {
  const { items } = await store.threads({ status: ['ready', 'running', 'suspended'], limit: 1 })
  return items.length === 0
}

/** Asks, and on the answer ends; true when it ended. */
async function advance(store: Store, { head, interrupts, fence }: Claimed): Promise<boolean> {
  const base = { threadId: head.id, fence, release: true }
  const answered = interrupts.find(({ status }) => status === 'answered')
  if (answered?.answer !== undefined) {
    await store.commit({
      ...base,
      expectVersion: head.version,
      status: 'completed',
      consume: [answered.id],
      events: [JSON.stringify(['ended', answered.answer.value])],
    })
    return true
  }
  await store.commit({
    threadId: head.id,
    fence,
    expectVersion: head.version,
    status: 'running',
    puts: [['step', '1']],
    events: ['"worked"'],
  })
  const id = `i_${head.id}`
  await store.commit({
    ...base,
    expectVersion: head.version + 1,
    status: 'suspended',
    open: [question(id, 1)],
    events: ['"asked"'],
  })
  return false
}
