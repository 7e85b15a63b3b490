// Components of every style, put together at random: with and without state, that ask once or twice, by
// signal or by call, one after another or side by side.

import fc from 'fast-check'

import {
  appendAddressSegment,
  compositeInterrupt,
  flow,
  getInterruptState,
  getResumeContext,
  interrupt,
  interruptSignal,
  runToolCalls,
  statefulInterrupt,
  step,
  tool,
  toolCall,
  type Flow,
} from '../../src/index.ts'

export type Part =
  | { readonly kind: 'leaf'; readonly style: 'plain' | 'stateful' | 'twice' | 'call' | 'step' }
  | {
      readonly kind: 'group'
      readonly style: 'keeps' | 'gathers' | 'together' | 'in turn' | 'invoked' | 'tools'
      readonly parts: readonly Part[]
    }

const leaf: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('leaf' as const),
  style: fc.constantFrom('plain', 'stateful', 'twice', 'call', 'step'),
})

export const anyPart: fc.Arbitrary<Part> = fc.letrec<{ part: Part; group: Part }>((tie) => ({
  part: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, tie('group')),
  group: fc.record({
    kind: fc.constant('group' as const),
    style: fc.constantFrom('keeps', 'gathers', 'together', 'in turn', 'invoked', 'tools'),
    parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
  }),
})).group

/** A flow that runs a part; `effects` counts what its steps did. */
export function flowOf(part: Part, effects: Map<string, number>): Flow {
  return flow('parts', () => run(part, 'p', effects))
}

async function run(part: Part, id: string, effects: Map<string, number>): Promise<unknown> {
  return appendAddressSegment('part', id, undefined, async () => {
    if (part.kind === 'leaf') return runLeaf(part.style, id, effects)
    const bodies = part.parts.map(
      (inner, index) => (): Promise<unknown> => run(inner, `${id}.${index}`, effects),
    )
    return runGroup(part.style, bodies)
  })
}

type Style<Kind> = Extract<Part, { kind: Kind }>['style']

async function runLeaf(
  style: Style<'leaf'>,
  id: string,
  effects: Map<string, number>,
): Promise<unknown> {
  const { isResumeTarget, data } = getResumeContext<string>()
  switch (style) {
    case 'call':
      return interrupt(`${id}?`)
    case 'plain':
      if (!isResumeTarget) throw interruptSignal(`${id}?`)
      return data
    case 'stateful':
      if (!isResumeTarget) throw statefulInterrupt(`${id}?`, { id })
      return [data, getInterruptState<{ id: string }>().state?.id]
    case 'twice': {
      const first = getInterruptState<string>().state
      if (!isResumeTarget)
        throw statefulInterrupt(first === undefined ? `${id}?` : `${id}??`, first)
      if (first === undefined) throw statefulInterrupt(`${id}??`, data)
      return [first, data]
    }
    case 'step':
      if (!isResumeTarget) throw interruptSignal(`${id}?`)
      return step('effect', () => {
        effects.set(id, (effects.get(id) ?? 0) + 1)
        return data
      })
  }
}

async function runGroup(
  style: Style<'group'>,
  bodies: readonly (() => Promise<unknown>)[],
): Promise<unknown> {
  switch (style) {
    case 'together':
      return Promise.all(bodies.map((body) => body()))
    case 'in turn': {
      const results: unknown[] = []
      for (const body of bodies) results.push(await body())
      return results
    }
    case 'gathers':
      return gather(bodies, undefined)
    case 'invoked':
      return flow('inner', () => Promise.all(bodies.map((body) => body()))).invoke()
    case 'tools':
      return callAll(bodies)
    case 'keeps':
      return gather(bodies, getInterruptState<Record<string, unknown>>().state ?? {})
  }
}

/** Runs each as a tool. */
async function callAll(bodies: readonly (() => Promise<unknown>)[]): Promise<unknown> {
  const tools = bodies.map((body, index) =>
    tool({ name: `t${index}`, description: 'runs a part', execute: body }),
  )
  const outputs = await runToolCalls(
    tools,
    tools.map(({ name }) => toolCall(`of ${name}`, name)),
  )
  return outputs.map(({ value }) => value)
}

/** Runs what is not in `kept` yet; with `kept`, what is finished is not run again. */
async function gather(
  bodies: readonly (() => Promise<unknown>)[],
  kept: Record<string, unknown> | undefined,
): Promise<unknown> {
  const results: Record<string, unknown> = { ...kept }
  const errors: unknown[] = []
  const settle = async (body: () => Promise<unknown>, index: number): Promise<void> => {
    if (String(index) in results) return
    try {
      results[index] = (await body()) ?? null
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(bodies.map(settle))
  if (errors.length > 0)
    throw compositeInterrupt('group', kept === undefined ? undefined : results, errors)
  return bodies.map((_, index) => results[index])
}
