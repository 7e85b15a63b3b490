// hexagon for the side-by-side harness: copy into its adapters/ as hexagon.mjs, with the built package
// installed beside the peers. Stores: none, memory, file (every commit is one append and one fdatasync).
import path from 'node:path'

import { channel, END, graph, interrupt, Runner, Send, START } from 'hexagon'
import { fileStore, memoryStore } from 'hexagon/stores'

const list = () => channel({ initial: [], reduce: (all, added) => all.concat(added) })

export default {
  id: 'hexagon',
  packages: ['hexagon'],
  stores: ['none', 'memory', 'file'],
  durable: 'file',
  async open({ store: kind, dir }) {
    const store =
      kind === 'memory'
        ? memoryStore()
        : kind === 'file'
          ? fileStore(path.join(dir, '.hexagon'))
          : undefined
    const runner = new Runner({ store })
    let auto = 0
    const end = async (flow, input, threadId) => {
      const result = await runner.invoke(flow, input, { threadId })
      if (result.error) throw result.error
      return result
    }
    const next = (prefix) => (kind === 'none' ? undefined : `${prefix}${auto++}`)
    const count = async (flow, prefix) =>
      kind === 'none'
        ? (await flow.invoke({ n: 0 })).n
        : (await end(flow, { n: 0 }, next(prefix))).state.n

    return {
      linear(n) {
        const flow = graph('linear', { state: { n: 0 } })
        for (let i = 0; i < n; i++) flow.node(`s${i}`, async (state) => ({ n: state.n + 1 }))
        flow.edge(START, 's0')
        for (let i = 1; i < n; i++) flow.edge(`s${i - 1}`, `s${i}`)
        flow.edge(`s${n - 1}`, END)
        return { run: () => count(flow, 'l') }
      },
      loop(n) {
        const flow = graph('loop', { state: { n: 0 }, recursionLimit: n + 10 })
          .node('step', async (state) => ({ n: state.n + 1 }))
          .edge(START, 'step')
          .branch('step', (state) => (state.n < n ? 'step' : END), ['step', END])
        return { run: () => count(flow, 'o') }
      },
      counter({ bytes, steps, onStep }) {
        const flow = graph('counter', { state: { n: 0, blob: '' }, recursionLimit: steps + 10 })
          .node('step', async (state) => {
            onStep(state.n)
            return { n: state.n + 1 }
          })
          .edge(START, 'step')
          .branch('step', (state) => (state.n < steps ? 'step' : END), ['step', END])
        return {
          run: async (id) => (await end(flow, { n: 0, blob: 'x'.repeat(bytes) }, id)).state.n,
        }
      },
      approval() {
        const flow = graph('approval', { state: { payload: null, answer: null } })
          .node('ask', async (state) => ({ answer: await interrupt(state.payload) }))
          .edge(START, 'ask')
          .edge('ask', END)
        return {
          start: (id, payload) => end(flow, { payload }, id),
          resume: async (id, value) => {
            const result = await runner.resume(id, { answer: value }, { flow }).result
            if (result.error) throw result.error
            return result.state.answer
          },
        }
      },
      fanout(k) {
        const flow = graph('fanout', { state: { answers: list() } })
          .node('ask', async ({ i }) => ({ answers: [await interrupt({ ask: i })] }))
          .branch(START, () => Array.from({ length: k }, (_, i) => new Send('ask', { i })), ['ask'])
          .edge('ask', END)
        const open = async (id) => (await runner.get(id)).interrupts
        return {
          start: async (id) => (await end(flow, {}, id)).interrupts.length,
          pending: open,
          resumeOne: async (id, key, value) => {
            const { error } = await runner.resume(id, { answers: { [key]: value } }, { flow })
              .result
            if (error) throw error
          },
          resumeAll: async (id, value) => {
            const answers = Object.fromEntries((await open(id)).map((one) => [one.id, value]))
            const result = await runner.resume(id, { answers }, { flow }).result
            if (result.error) throw result.error
            return result.state.answers.length
          },
        }
      },
      nested(depth) {
        let flow = graph('level0', { state: { answer: null } })
          .node('ask', async () => ({ answer: await interrupt('bottom') }))
          .edge(START, 'ask')
          .edge('ask', END)
        for (let level = 1; level < depth; level++) {
          flow = graph(`level${level}`, { state: { answer: null } })
            .node('inner', flow)
            .edge(START, 'inner')
            .edge('inner', END)
        }
        return {
          start: async (id) => (await end(flow, {}, id)).interrupts[0].payload,
          resume: async (id, value) =>
            (await runner.resume(id, { answer: value }, { flow }).result).state.answer,
        }
      },
      async listPending() {
        const { items } = await runner.pending()
        return items.map(({ threadId, interrupts }) => ({
          thread: threadId,
          payload: interrupts[0].payload,
        }))
      },
      async close() {
        await store?.close()
      },
    }
  },
}
