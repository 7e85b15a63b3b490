import { decodeName, encodeName } from '../core/encoded-name.ts'
import type { Memo } from './memo.ts'
import type { QuestionRow } from './question.ts'

/** A stored graph instance, as text until the graph reads it. */
export interface GraphRecords {
  /** The instance's own record, if any. */
  readonly head: string | undefined
  readonly cells: Map<number, string>
  readonly views: Map<number, string>
  readonly window: string[]
  /** Updates that the graph around folds too, by their number. */
  readonly passedOn: Map<number, string>
  readonly tasks: string[]
}

/** A question of an earlier process, with what came of it. */
export interface StoredQuestion {
  readonly row: QuestionRow
  readonly answer?: { readonly value: unknown; readonly validated: boolean }
  readonly expired?: boolean
}

/** Keys of what a graph left, and the graphs that ran inside its tasks. */
interface Left {
  readonly keys: string[]
  readonly graphs: Left[]
}

/** What an earlier process left, indexed by graph instance and task. */
export class Restored {
  /** The keys of all records in the store; the journal keeps them up to date. */
  readonly keys = new Set<string>()
  readonly graphs = new Map<string, GraphRecords>()
  readonly memos = new Map<string, Map<string, Memo>>()
  readonly questions = new Map<string, StoredQuestion[]>()
  readonly #left = new Map<string, Left>()
  /** Graphs that ran right inside a task, by task. */
  readonly #inside = new Map<string, Left[]>()

  /** Places a record under its owner; `decodeMemo` turns stored text into a memo. */
  add(key: string, text: string, decodeMemo: (text: string) => Memo): void {
    const [type, owner, rest] = splitKey(key)
    this.keys.add(key)
    this.#leftBy(type === 't' || type === 'm' ? ownerOf(owner) : owner).keys.push(key)
    if (type === 'm') this.#addMemo(owner, rest, decodeMemo(text))
    else if (type === 't') this.graph(ownerOf(owner)).tasks.push(text)
    else this.#addGraphRecord(type, owner, { rest, text })
  }

  #leftBy(gid: string): Left {
    const found = this.#left.get(gid)
    if (found !== undefined) return found
    const made: Left = { keys: [], graphs: [] }
    this.#left.set(gid, made)
    const host = hostOf(gid)
    if (host === undefined) return made
    this.#leftBy(ownerOf(host)).graphs.push(made)
    const beside = this.#inside.get(host)
    if (beside === undefined) this.#inside.set(host, [made])
    else beside.push(made)
    return made
  }

  /** Keys of everything that graphs inside `task` left. */
  keysInside(task: string): string[] {
    const keys: string[] = []
    const rest = [...(this.#inside.get(task) ?? [])]
    for (let graph = rest.pop(); graph !== undefined; graph = rest.pop()) {
      keys.push(...graph.keys)
      rest.push(...graph.graphs)
    }
    return keys
  }

  #addMemo(task: string, path: string, memo: Memo): void {
    const memos = this.memos.get(task) ?? new Map<string, Memo>()
    memos.set(path, memo)
    this.memos.set(task, memos)
  }

  #addGraphRecord(type: string, gid: string, { rest, text }: { rest: string; text: string }): void {
    const graph = this.graph(gid)
    switch (type) {
      case 'g':
        this.graphs.set(gid, { ...graph, head: text })
        break
      case 'c':
        graph.cells.set(Number(rest), text)
        break
      case 'v':
        graph.views.set(Number(rest), text)
        break
      case 'w':
        graph.window.push(text)
        break
      case 'p':
        graph.passedOn.set(Number(rest), text)
        break
      default:
        break
    }
  }

  graph(gid: string): GraphRecords {
    const found = this.graphs.get(gid)
    if (found !== undefined) return found
    const made: GraphRecords = {
      head: undefined,
      cells: new Map(),
      views: new Map(),
      window: [],
      passedOn: new Map(),
      tasks: [],
    }
    this.graphs.set(gid, made)
    return made
  }
}

// Record keys are `type owner rest`. Owners are made of percent-encoded names, so they hold no space.
function splitKey(key: string): [type: string, owner: string, rest: string] {
  const first = key.indexOf(' ')
  const second = key.indexOf(' ', first + 1)
  if (second === -1) return [key.slice(0, first), key.slice(first + 1), '']
  return [key.slice(0, first), key.slice(first + 1, second), key.slice(second + 1)]
}

/** Id of the root graph instance. */
export const ROOT = '/'

/** The full id of a task of graph instance `gid`. */
export function taskId(gid: string, local: string): string {
  return gid === ROOT ? local : `${gid}/${local}`
}

/** The graph instance a task belongs to. */
export function ownerOf(task: string): string {
  const cut = task.lastIndexOf('/')
  return cut === -1 ? ROOT : task.slice(0, cut)
}

/** The instance of a graph invoked inside a task, at a place in it. */
export function invokedId(task: string, path: string): string {
  return `${task}!${encodeName(path)}`
}

/** Where graph instance `gid` was invoked: the task, and the place in it. Undefined for one that is a node. */
export function invokedAt(
  gid: string,
): { readonly task: string; readonly place: string } | undefined {
  const bang = gid.indexOf('!', gid.lastIndexOf('/') + 1)
  if (bang === -1) return undefined
  return { task: gid.slice(0, bang), place: decodeName(gid.slice(bang + 1)) }
}

/** The task that runs graph instance `gid`; undefined for the root. */
export function hostOf(gid: string): string | undefined {
  if (gid === ROOT) return undefined
  const slash = gid.lastIndexOf('/')
  const bang = gid.indexOf('!', slash + 1)
  return bang === -1 ? gid : gid.slice(0, bang)
}

/** The task and every task it runs inside, innermost first. */
export function lineage(task: string): string[] {
  const line: string[] = []
  for (let at: string | undefined = task; at !== undefined; at = hostOf(ownerOf(at))) line.push(at)
  return line
}
