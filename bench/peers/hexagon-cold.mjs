// Cold start for the side-by-side harness: copy into its cold/ as hexagon.mjs. Loads the library and runs one node.
import { END, graph, START } from 'hexagon'

await graph('cold', { state: { n: 0 } })
  .node('step', async (state) => ({ n: state.n + 1 }))
  .edge(START, 'step')
  .edge('step', END)
  .invoke({ n: 0 })
