// Flows whose effects leave a line in a file, and whose process is killed right behind some of them.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'

import { END, flow, graph, Send, START, step, type Flow } from '../../src/index.ts'

/** Lines of the file, in their order. */
export function effectsIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

async function untilIn(file: string, line: string): Promise<void> {
  while (!effectsIn(file).includes(line)) await new Promise(setImmediate)
}

/** Flows by name. With `lethal` the process is killed behind the effect that ends with `!`. */
export function payingFlows(file: string, lethal: boolean): ReadonlyMap<string, Flow> {
  const happen = (name: string): string => {
    appendFileSync(file, `${name}\n`)
    if (lethal && name.endsWith('!')) process.kill(process.pid, 'SIGKILL')
    return `done ${name}`
  }
  const pay = (name: string): Promise<string> =>
    step('pay', () => happen(name), { once: true, args: name })
  const before = (): Promise<string> => step('before', () => happen('before'))
  const after = (): Promise<string> => step('after', () => happen('after'))
  const paid = { state: { paid: '' } }

  const node = graph('node', paid)
    .node('begin', async () => void (await before()))
    .node('pay', async () => ({ paid: await pay('pay!') }))
    .node('end', async () => void (await after()))
    .edge(START, 'begin')
    .edge('begin', 'pay')
    .edge('pay', 'end')
    .edge('end', END)

  const inner = graph('inner', paid)
    .node('deep', async () => {
      await before()
      return { paid: await pay('pay!') }
    })
    .edge(START, 'deep')
    .edge('deep', END)
  const nested = graph('nested', paid)
    .node('sub', inner)
    .node('end', async () => void (await after()))
    .edge(START, 'sub')
    .edge('sub', 'end')
    .edge('end', END)
  const invoked = graph('invoked', paid)
    .node('call', async () => {
      const { paid: text } = (await inner.invoke({})) as { paid: string }
      await after()
      return { paid: text }
    })
    .edge(START, 'call')
    .edge('call', END)
  const fanned = graph('fanned', { state: {} })
    .node('work', async (name: string) => void (await pay(name)))
    .branch(START, () => ['a', 'b!', 'c'].map((name) => new Send('work', name, { key: name })), [
      'work',
    ])
    .edge('work', END)

  /** Pays without an end until the other node has paid too, and the process is killed. */
  const endless = async (): Promise<void> => {
    happen('left')
    if (lethal) await new Promise(() => setInterval(() => undefined, 1000))
  }
  const whenBoth = async (): Promise<void> => {
    if (lethal) await untilIn(file, 'left')
    happen('right!')
  }
  const parallel = graph('parallel', { state: {} })
    .node('left', async () => step('left', endless, { once: true }))
    .node('right', async () => step('right', whenBoth, { once: true }))
    .edge(START, 'left')
    .edge(START, 'right')
    .edge('left', END)
    .edge('right', END)

  const plain = flow('plain', async () => {
    await before()
    const text = await pay('pay!')
    await after()
    return text
  })
  return new Map(
    [node, nested, invoked, fanned, parallel, plain].map((one) => [one.name, one as Flow]),
  )
}
