// A reviewer, as an agent kit's guide to interrupting and resuming shows it: own types that survive a pause,
// a tool that needs an administrator, a caller that reads events, and a resume in another process.

import {
  channel,
  END,
  flow,
  getResumeContext,
  graph,
  interrupt,
  interruptSignal,
  registerType,
  Runner,
  START,
  step,
  tool,
  toolsNode,
  type Interrupt,
  type Message,
  type RunResult,
} from 'hexagon'
import { fileStore } from 'hexagon/stores'

/** A class of our own; registered, it comes back as what it was. */
export class ReviewRequest {
  readonly documentId: string
  readonly title: string

  constructor(documentId: string, title: string) {
    this.documentId = documentId
    this.title = title
  }
}

registerType('docs.ReviewRequest', ReviewRequest, {
  serialize: ({ documentId, title }) => ({ documentId, title }),
  deserialize: ({ documentId, title }) => new ReviewRequest(documentId, title),
})

interface ReviewDecision {
  readonly approved: boolean
  readonly comment?: string
}

/** Reviews a document: loads it once, asks a person, and says what came of it. */
export const reviewer = flow('reviewer', async (documentId: string) => {
  const title = await step('load', () => `Report ${documentId}`)
  const decision = await interrupt<ReviewDecision>({
    message: `Review "${title}"`,
    request: new ReviewRequest(documentId, title),
  })
  return decision.approved ? 'approved, going on' : `rejected: ${decision.comment ?? ''}`
})

/** A tool that stops for an administrator; it runs again with what they said. */
export const administration = tool({
  name: 'administration',
  description: 'does what only an administrator may allow',
  execute: () => {
    const { isResumeTarget, data } = getResumeContext(String)
    if (!isResumeTarget)
      throw interruptSignal({ message: 'An administrator is needed', requestId: 'req-001' })
    return `allowed by ${data ?? 'nobody'}`
  },
})

/** A graph around the tool. */
export const office = graph('office', {
  state: {
    messages: channel<Message[]>({ initial: [], reduce: (before, more) => [...before, ...more] }),
  },
})
  .node('tools', toolsNode([administration]))
  .edge(START, 'tools')
  .edge('tools', END)

/** Starts a review and reads its events until it asks. */
export async function startReview(
  folder: string,
  documentId: string,
): Promise<{ threadId: string; question: Interrupt | undefined }> {
  const runner = new Runner({ store: fileStore(folder) })
  const run = runner.run(reviewer, documentId)
  let question: Interrupt | undefined
  for await (const event of run) if (event.type === 'interrupt:open') question = event.interrupt
  await run.result
  return { threadId: run.threadId, question }
}

/** Resumes it, as another process would: only the folder and the ids are known. */
export function resumeReview(
  folder: string,
  threadId: string,
  answers: Readonly<Record<string, ReviewDecision>>,
): Promise<RunResult> {
  const runner = new Runner({ store: fileStore(folder), flows: [reviewer] })
  return runner.resume(threadId, { answers }).result
}
