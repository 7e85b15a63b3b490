import { encode } from '../../core/codec.ts'
import type { TaskView } from '../../core/command.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ChangedQuestion, Difference } from '../render/difference.ts'

/** What changed between two checkpoints, for programs. */
export function differenceJson(threadId: string, difference: Difference): JsonObject {
  const { from, to, state, tasks, questions } = difference
  return {
    thread: { id: threadId },
    from: { ...from },
    to: { ...to },
    state: Object.fromEntries(
      state.map(({ key, before, after }) => [
        key,
        {
          ...(before === undefined ? {} : { before: encode(before.value) }),
          ...(after === undefined ? {} : { after: encode(after.value) }),
        },
      ]),
    ),
    tasks: { gone: tasks.gone.map(taskJson), added: tasks.added.map(taskJson) },
    questions: {
      closed: questions.closed.map(questionJson),
      opened: questions.opened.map(questionJson),
    },
  }
}

function taskJson({ id, node, status, step }: TaskView): JsonObject {
  return { id, node, status, step }
}

function questionJson({ id, message }: ChangedQuestion): JsonObject {
  return { id, message }
}
