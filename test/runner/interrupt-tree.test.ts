import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  compositeInterrupt,
  END,
  flow,
  getInterruptState,
  getResumeContext,
  graph,
  interruptForApproval,
  interruptSignal,
  registerType,
  segment,
  START,
  statefulInterrupt,
  toInterruptContexts,
} from '../../src/index.ts'
import { fileStore } from '../../src/stores/index.ts'
import { question, Threads } from '../support/threads.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hexagon-tree-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** The threads of the folder as a process sees them that has just begun. */
function restarted(): Threads {
  return new Threads({ store: fileStore(folder) })
}

class Priority {
  readonly level: number
  constructor(level: number) {
    this.level = level
  }
}
registerType('test.Priority', Priority, {
  serialize: ({ level }) => level,
  deserialize: (level: number) => new Priority(level),
})

const inner = graph('inner', { state: {} })
  .node('inner_lambda', () => {
    if (!getResumeContext().isResumeTarget) throw statefulInterrupt('inner?', 'inner state')
  })
  .edge(START, 'inner_lambda')
  .edge('inner_lambda', END)

describe('the tree of what a stored thread waits for', () => {
  test('S16 S40 has one parent for the children of a composite, with its info', async () => {
    const info = { title: 'Three parts', since: new Date(0), priority: new Priority(2) }
    const batch = flow('batch', () => {
      const errors: unknown[] = []
      for (const id of ['p0', 'p1', 'p2']) {
        try {
          appendAddressSegment('process', id, undefined, () => {
            if (!getResumeContext().isResumeTarget) throw interruptSignal(`${id}?`)
          })
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw compositeInterrupt(info, undefined, errors)
    })
    const paused = await restarted().start(batch)
    const tree = await restarted().runner().interruptTree(paused.threadId)
    if (tree === undefined) throw new Error('a tree is wanted')
    const contexts = toInterruptContexts(tree)

    expect(tree).toMatchObject({ info, address: [segment('node', 'batch')], isRootCause: false })
    expect(contexts.map((context) => context.info)).toEqual(['p0?', 'p1?', 'p2?'])
    expect(contexts.map(({ id }) => id)).toEqual(paused.interrupts.map(({ id }) => id))
    expect(new Set(contexts.map(({ parent }) => parent)).size).toBe(1)
    expect(contexts[0]?.parent).toMatchObject({ info, isRootCause: false, parent: null })

    const [first] = paused.interrupts
    await restarted().resume(batch, paused, { answers: { [first?.id ?? '']: undefined } })
    const left = await restarted().runner().interruptTree(paused.threadId)
    expect(left?.subs.map((sub) => sub.info)).toEqual(['p1?', 'p2?'])
    expect(left?.info).toEqual(info)
  })

  test('S42 shows the invoked graph, and around it the node with the info of its composite', async () => {
    const outer = graph('root', { state: {} })
      .node('composite_lambda', async () => {
        getInterruptState()
        try {
          await inner.invoke()
        } catch (error) {
          throw compositeInterrupt('composite info', 'composite state', [error])
        }
      })
      .edge(START, 'composite_lambda')
      .edge('composite_lambda', END)
    const paused = await restarted().start(outer)
    const tree = await restarted().runner().interruptTree(paused.threadId)
    const [point, ...others] = tree === undefined ? [] : toInterruptContexts(tree)

    expect(others).toEqual([])
    expect(point).toMatchObject({ id: question(paused).id, info: 'inner?', isRootCause: true })
    expect(point?.address).toEqual([
      segment('node', 'composite_lambda'),
      segment('runnable', 'inner'),
      segment('node', 'inner_lambda'),
    ])
    expect(point?.parent).toMatchObject({
      info: undefined,
      isRootCause: false,
      address: [segment('node', 'composite_lambda'), segment('runnable', 'inner')],
    })
    expect(point?.parent?.parent).toMatchObject({
      info: 'composite info',
      address: [segment('node', 'composite_lambda')],
      parent: null,
    })
  })

  test('holds the questions of calls too, and is gone when nothing is open', async () => {
    const plain = flow('plain', () => interruptForApproval('Ship?'))
    const paused = await restarted().start(plain)
    const tree = await restarted().runner().interruptTree(paused.threadId)
    expect(tree).toMatchObject({ id: question(paused).id, info: 'Ship?', isRootCause: true })

    await restarted().resume(plain, paused, { answer: true })
    expect(await restarted().runner().interruptTree(paused.threadId)).toBeUndefined()
  })
})
