// The examples of an interrupt package for Go, in hexagon: a node that waits for a review, one that stops by
// a signal, one that keeps its progress, and a node that gathers what several tools ask.

import {
  appendAddressSegment,
  channel,
  Command,
  compositeInterrupt,
  END,
  getInterruptState,
  getResumeContext,
  graph,
  interrupt,
  interruptSignal,
  isInterruptSignal,
  START,
  statefulInterrupt,
} from 'hexagon'

interface ReviewResult {
  readonly approved: boolean
}

/** Waits for a person in the middle of a node: the call simply returns their answer. */
export const review = graph('review', { state: { content: '', approved: false } })
  .node('review', async ({ content }) => {
    const result = await interrupt<ReviewResult>({ message: 'Approve?', content })
    return { approved: result.approved }
  })
  .edge(START, 'review')
  .edge('review', END)

/** Stops with a signal instead; the answer is read when the node is entered again. */
export const signalled = graph('signalled', { state: { approved: false } })
  .node('review', () => {
    const { isResumeTarget, data } = getResumeContext(Boolean)
    if (!isResumeTarget) throw interruptSignal('This needs a review')
    return { approved: data === true }
  })
  .edge(START, 'review')
  .edge('review', END)

interface Progress {
  readonly at: number
  readonly done: readonly string[]
}

/** Keeps how far it got, so that nothing is done twice. */
export const batch = graph('batch', {
  state: { items: [] as readonly string[], done: [] as readonly string[] },
})
  .node('batch', ({ items }) => {
    const { state } = getInterruptState<Progress>()
    const { isResumeTarget, data: decision } = getResumeContext(String)
    const done = [...(state?.done ?? [])]
    for (let at = state?.at ?? 0; at < items.length; at += 1) {
      const item = items[at] ?? ''
      const isDecided = isResumeTarget && at === state?.at
      if (item.startsWith('!') && !isDecided)
        throw statefulInterrupt({ message: `Keep ${item}?`, item }, { at, done })
      if (!isDecided || decision === 'keep') done.push(item)
    }
    return { done }
  })
  .edge(START, 'batch')
  .edge('batch', END)

interface Call {
  readonly id: string
  readonly name: string
}

/** Runs tools in scopes of their own and gathers what they ask; an ordinary error is not covered up. */
export const tools = graph('tools', {
  state: {
    calls: [] as readonly Call[],
    results: channel<readonly string[]>({ initial: [], reduce: (_, results) => results }),
  },
})
  .node('tools', async ({ calls }) => {
    const results: string[] = []
    const errors: unknown[] = []
    for (const { id, name } of calls) {
      try {
        results.push(await appendAddressSegment('tool', name, id, () => runTool(name)))
      } catch (error) {
        if (!isInterruptSignal(error)) throw error
        errors.push(error)
      }
    }
    if (errors.length > 0) throw compositeInterrupt('Several tools ask', undefined, errors)
    return { results }
  })
  .edge(START, 'tools')
  .edge('tools', END)

async function runTool(name: string): Promise<string> {
  const { isResumeTarget, data } = getResumeContext(Boolean)
  if (!isResumeTarget) throw interruptSignal(`May ${name} run?`)
  return `${name} ${data === true ? 'ran' : 'was skipped'}`
}

/** A command that changes the state and says where to go on. */
export const jump = graph('jump', { state: { approved: false, published: false } })
  .node('decide', async () => {
    const approved = await interrupt<boolean>('Publish?')
    return new Command({ update: { approved }, goto: approved ? 'publish' : END })
  }, { ends: ['publish', END] })
  .node('publish', () => ({ published: true }))
  .edge(START, 'decide')
  .edge('publish', END)
