// What entering a scope costs when 10, 1,000 or 10,000 component questions are open, and what re-entering
// deeply nested components costs. Run: npx tsx --conditions=hexagon:source bench/scope.ts

import {
  appendAddressSegment,
  compositeInterrupt,
  flow,
  getInterruptState,
  getResumeContext,
  interruptSignal,
  populateResumeInfo,
  resumeWithData,
  Runner,
  segment,
  statefulInterrupt,
  withResumeInfo,
  type Address,
} from '../src/index.ts'
import { memoryStore } from '../src/stores/index.ts'

const ENTRIES = 2000

function at(index: number): Address {
  return [segment('node', 'wall'), segment('brick', String(index))]
}

/** Microseconds for each of `ENTRIES` entries while `count` questions are open. */
function entering(count: number): number {
  return withResumeInfo(() => {
    const ids = Array.from({ length: count }, (_, index) => `i${index}`)
    populateResumeInfo(Object.fromEntries(ids.map((id, index) => [id, at(index)])))
    return appendAddressSegment('node', 'wall', undefined, () => {
      const begun = performance.now()
      for (let turn = 0; turn < ENTRIES; turn += 1) {
        const index = turn % count
        resumeWithData(`i${index}`, turn)
        appendAddressSegment('brick', String(index), undefined, getResumeContext)
      }
      return ((performance.now() - begun) / ENTRIES) * 1000
    })
  })
}

function nested(level: number): unknown {
  return appendAddressSegment('level', String(level), undefined, () => {
    const { state } = getInterruptState<number>()
    if (level === 0) {
      const { isResumeTarget, data } = getResumeContext()
      if (!isResumeTarget) throw interruptSignal('deep?')
      return data
    }
    try {
      return nested(level - 1)
    } catch (error) {
      throw compositeInterrupt(`level ${level}`, state ?? level, [error])
    }
  })
}

/** Milliseconds of a resume that re-enters `levels` nested components. */
async function reentering(levels: number): Promise<number> {
  const deep = flow('deep', () => nested(levels))
  const runner = new Runner({ store: memoryStore(), flows: [deep] })
  const paused = await runner.invoke(deep)
  const begun = performance.now()
  const done = await runner.resume(paused.threadId, { answer: 'found' }).result
  if (done.output !== 'found') throw new Error(`ended as ${done.status}`)
  return performance.now() - begun
}

/** Milliseconds to raise `count` questions in one node, and to answer them all at once. */
async function wall(count: number): Promise<{ raised: number; answered: number }> {
  const bricks = flow('wall', () => {
    const errors: unknown[] = []
    for (let index = 0; index < count; index += 1) {
      appendAddressSegment('brick', String(index), undefined, () => {
        if (!getResumeContext().isResumeTarget) errors.push(statefulInterrupt(index, index))
      })
    }
    if (errors.length > 0) throw compositeInterrupt('wall', undefined, errors)
    return count
  })
  const runner = new Runner({ store: memoryStore(), flows: [bricks] })
  const begun = performance.now()
  const paused = await runner.invoke(bricks)
  const asked = performance.now()
  const answers = Object.fromEntries(paused.interrupts.map(({ id }) => [id, true]))
  await runner.resume(paused.threadId, { answers }).result
  return { raised: asked - begun, answered: performance.now() - asked }
}

for (const count of [10, 10, 1000, 10_000])
  console.log(`entering a scope, ${count} open: ${entering(count).toFixed(2)} µs`)
for (const levels of [10, 50, 200])
  console.log(`resuming ${levels} nested levels: ${(await reentering(levels)).toFixed(1)} ms`)
for (const count of [100, 1000, 10_000]) {
  const { raised, answered } = await wall(count)
  console.log(
    `${count} questions of one node: ${raised.toFixed(0)} ms to ask, ${answered.toFixed(0)} ms to answer`,
  )
}
