/** Brand of everything a flow file may export; survives two copies of the package. */
export const FLOW: unique symbol = Symbol.for('hexagon.flow') as never

/** One edge of a flow as drawings and checks see it. */
export interface EdgeShape {
  readonly from: string
  readonly to: string
  readonly kind: 'edge' | 'branch' | 'join'
}

/** What a flow is made of; plain data. */
export interface FlowShape {
  readonly name: string
  readonly nodes: readonly NodeShape[]
  readonly edges: readonly EdgeShape[]
}

export interface NodeShape {
  readonly name: string
  readonly kind: 'function' | 'subgraph'
  readonly shape?: FlowShape
}

/** What everyone may know of a flow without running it. The engine's part is `Runnable` in runtime. */
export interface Flow {
  readonly [FLOW]: { readonly kind: 'graph' | 'function' | 'agent'; readonly version: number }
  readonly name: string
  /** Nodes and edges. @throws DefinitionError when its parts don't fit together. */
  describe(): FlowShape
  toMermaid(): string
}

/** True for a flow of any copy of the package. */
export function isFlow(value: unknown): value is Flow {
  return (
    (typeof value === 'object' || typeof value === 'function') && value !== null && FLOW in value
  )
}
