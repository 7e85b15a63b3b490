// A process that counts to thirty in a file store and is killed at twenty: `durability-process.ts <folder> <durability> <run|resume>`.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

import { END, graph, Runner, START } from '../../src/index.ts'
import { fileStore } from '../../src/stores/index.ts'

const [, , folder = '', durability = '', what = ''] = process.argv

const count = graph('count', { state: { n: 0 } })
  .node('add', ({ n }) => {
    if (n === 20 && what === 'run') process.kill(process.pid, 'SIGKILL')
    appendFileSync(join(folder, 'effects'), `${n}\n`)
    return { n: n + 1 }
  })
  .edge(START, 'add')
  .branch('add', ({ n }) => (n < 30 ? 'add' : END), ['add', END])

const runner = new Runner({
  store: fileStore(join(folder, 'store')),
  flows: [count],
  durability: durability as 'sync' | 'async' | 'exit',
})
const run =
  what === 'run' ? runner.run(count, {}, { threadId: 'count' }) : runner.resume('count', {})
const { status, state } = await run.result
process.stdout.write(JSON.stringify({ status, n: state['n'] }))
