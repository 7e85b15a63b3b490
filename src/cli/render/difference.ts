import { canonical } from '../../core/canonical.ts'
import { encode } from '../../core/codec.ts'
import type { TaskView, ThreadView } from '../../core/command.ts'
import { oneLine } from '../terminal/safe.ts'
import { briefJson } from './json.ts'
import type { View } from './view.ts'

/** One key of the state at two checkpoints; absent on the side that did not have it. */
export interface ChangedKey {
  readonly key: string
  readonly before?: { readonly value: unknown }
  readonly after?: { readonly value: unknown }
}

/** A question on one side only. */
export interface ChangedQuestion {
  readonly id: string
  readonly message: string
}

/** What is different between two checkpoints of a thread. */
export interface Difference {
  readonly from: Pick<ThreadView, 'version' | 'status'>
  readonly to: Pick<ThreadView, 'version' | 'status'>
  readonly state: readonly ChangedKey[]
  readonly tasks: { readonly gone: readonly TaskView[]; readonly added: readonly TaskView[] }
  readonly questions: {
    readonly closed: readonly ChangedQuestion[]
    readonly opened: readonly ChangedQuestion[]
  }
}

/** Compares two views of one thread: state by key, tasks and open questions by id. */
export function differenceOf(before: ThreadView, after: ThreadView): Difference {
  return {
    from: { version: before.version, status: before.status },
    to: { version: after.version, status: after.status },
    state: changedKeys(before.state, after.state),
    tasks: {
      gone: missingIn(before.tasks, after.tasks),
      added: missingIn(after.tasks, before.tasks),
    },
    questions: {
      closed: missingIn(before.interrupts, after.interrupts).map(named),
      opened: missingIn(after.interrupts, before.interrupts).map(named),
    },
  }
}

/** A difference for people: what is gone with a minus, what is new with a plus. */
export function renderDifference(difference: Difference, { paint }: View): string[] {
  const { from, to, state, tasks, questions } = difference
  const gone = (text: string): string => paint.red(`- ${oneLine(text)}`)
  const added = (text: string): string => paint.green(`+ ${oneLine(text)}`)
  const lines = [
    ...state.flatMap(({ key, before, after }) => [
      ...(before === undefined ? [] : [gone(`${key}: ${briefJson(before.value)}`)]),
      ...(after === undefined ? [] : [added(`${key}: ${briefJson(after.value)}`)]),
    ]),
    ...tasks.gone.map(({ node }) => gone(`task ${node}`)),
    ...tasks.added.map(({ node, status }) => added(`task ${node} (${status})`)),
    ...questions.closed.map(({ message }) => gone(`question ${message}`)),
    ...questions.opened.map(({ message }) => added(`question ${message}`)),
  ]
  const title = `version ${from.version} (${from.status}) to ${to.version} (${to.status})`
  return [paint.bold(title), ...(lines.length === 0 ? ['nothing changed'] : lines)]
}

type Values = Readonly<Record<string, unknown>>

function changedKeys(before: Values, after: Values): ChangedKey[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key): ChangedKey[] => {
    const had = Object.hasOwn(before, key)
    const has = Object.hasOwn(after, key)
    if (had && has && textOf(before[key]) === textOf(after[key])) return []
    return [
      {
        key,
        ...(had ? { before: { value: before[key] } } : {}),
        ...(has ? { after: { value: after[key] } } : {}),
      },
    ]
  })
}

function textOf(value: unknown): string {
  return canonical(encode(value))
}

function missingIn<T extends { readonly id: string }>(
  list: readonly T[],
  other: readonly T[],
): T[] {
  const known = new Set(other.map(({ id }) => id))
  return list.filter(({ id }) => !known.has(id))
}

function named({ id, message }: ChangedQuestion): ChangedQuestion {
  return { id, message }
}
