import { closeSync, fdatasyncSync } from 'node:fs'

import { UnknownThreadError } from '../../core/errors.ts'
import type { AnswerRequest } from '../../core/store.ts'
import { planAnswer } from '../answer-plan.ts'
import { recordAnswers } from './audit-log.ts'
import { assertSameThread } from './holding.ts'
import { appendToInbox } from './inbox.ts'
import type { ThreadFiles } from './layout.ts'
import { openOwn } from './own-file.ts'
import { unlessMissing } from './store-error.ts'
import { nowOf, type Surroundings } from './surroundings.ts'
import { readThread } from './thread-reader.ts'

/**
 * Puts answers into a thread's inbox, whoever holds the thread.
 * @throws UnknownThreadError, AlreadyAnsweredError, UnknownInterruptError, StaleVersionError, StoreWriteError
 */
export async function answerThread(
  around: Surroundings,
  files: ThreadFiles,
  request: AnswerRequest,
): Promise<{ readonly woken: boolean }> {
  const { disk } = around
  const { threadId } = request
  const mutex = await around.locks.takeMutex(files.mutex, threadId, nowOf(around))
  try {
    const found = await readThread(files, disk)
    if (found === undefined) throw new UnknownThreadError(threadId)
    assertSameThread(files, found, threadId)
    const plan = planAnswer(found.state, request, nowOf(around))
    if (plan.kind === 'repeated' || plan.change.answers.length === 0) return { woken: false }
    syncQuestions(files.log)
    await recordAnswers(around, found.state, plan.change)
    await appendToInbox(disk, files.inbox, { ...plan.change, through: found.state.inbox + 1 })
    return { woken: plan.woken }
  } finally {
    mutex.release()
  }
}

/** An answer must not outlive its question: what its holder has not synced yet is synced first. */
function syncQuestions(log: string): void {
  const fd = unlessMissing(() => openOwn(log, 'change'))
  if (fd === undefined) return
  try {
    fdatasyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
