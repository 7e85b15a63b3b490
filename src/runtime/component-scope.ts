// What scopes have to do with the signal layer: what they are handed when they are entered, and what leaves
// them.

import { segmentKey, type AddressSegment } from '../core/address.ts'
import { runInScope } from './carrier.ts'
import type { TaskScope } from './engine.ts'
import { ResumeInfo, type Entered, type Kept } from './resume-info.ts'
import { RunningScopes } from './running-scopes.ts'
import { takeApart } from './signal.ts'

/** The scope of a component below `outer`, entered. */
export function enterBelow(outer: TaskScope, added: AddressSegment, counted?: boolean): TaskScope {
  const scope = outer.at(placeBelow(outer, segmentKey(added)), added, counted)
  enteredIn(scope)
  return scope
}

/** Who keeps its own state enters only the children that are not finished: their earlier visits come first. */
function placeBelow(outer: TaskScope, key: string): string {
  const { resumption } = enteredIn(outer)
  const keeps = 'state' in resumption && resumption.state !== undefined
  return outer.place(key, keeps ? infoOf(outer).visits(outer.path + key) : [])
}

/** What this entry of a task has for its components. */
export function infoOf({ frame }: TaskScope): ResumeInfo {
  if (frame.resumption !== undefined) return frame.resumption
  const info = new ResumeInfo()
  for (const memo of frame.memo.values()) {
    if (memo.kind !== 'component') continue
    const { id, address, place, row, state, answer } = memo
    const target = answer === undefined ? undefined : { target: given(answer.value) }
    info.record(place, {
      id,
      address,
      state,
      kind: row === undefined ? 'composite' : 'leaf',
      ...target,
    })
  }
  for (const place of frame.run.questions.passages(frame.id)) info.passThrough(place)
  frame.resumption = info
  return info
}

/** An answer of `undefined` tells a component to go on and gives it nothing. */
function given(value: unknown): { readonly data?: Kept } {
  return value === undefined ? {} : { data: { value } }
}

/** What `scope` was handed when it was entered. */
export function enteredIn(scope: TaskScope): Entered {
  if (scope.entered !== undefined) return scope.entered
  const entered = infoOf(scope).enter(scope)
  scope.entered = entered
  if (entered.resumption.kind !== 'fresh') scope.frame.varies = true
  return entered
}

/** Runs `body` as the component of `scope`: what it throws is known even when somebody above swallows it. */
export function runComponent<T>(scope: TaskScope, body: () => T): T {
  const { frame, path } = scope
  const note = (error: unknown): never => {
    for (const signal of takeApart(error).signals) {
      if (signal.id === '') continue
      frame.escaped ??= new Set()
      frame.escaped.add(signal)
    }
    throw error
  }
  try {
    const result = runInScope(scope, body)
    if (!(result instanceof Promise)) return result
    const inside = (frame.inside ??= new RunningScopes())
    inside.add(path)
    return result.catch(note).finally(() => inside.delete(path)) as T
  } catch (error) {
    return note(error)
  }
}
