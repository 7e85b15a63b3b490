import { END, graph, interruptForApproval, START, step } from 'hexagon'

export default graph('hello', { state: { name: 'world', text: '', sent: false } })
  .node('write', ({ name }) => ({ text: `Hello, ${name}!` }))
  .node('send', async ({ text }) => {
    const sent = await interruptForApproval(`Send "${text}"?`)
    if (sent) await step('send', () => console.log(text))
    return { sent }
  })
  .edge(START, 'write')
  .edge('write', 'send')
  .edge('send', END)
