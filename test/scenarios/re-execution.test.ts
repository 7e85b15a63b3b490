import { describe, expect, test } from 'vitest'

import {
  channel,
  Command,
  END,
  flow,
  graph,
  interruptForApproval,
  interruptForChoice,
  interruptForInput,
  START,
  step,
} from '../../src/index.ts'
import { eventsOf, messages, question, startedNodes, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

describe('entering a task again', () => {
  test('B01 an old answer never goes to the next question', async () => {
    const threads = new Threads()
    const two = graph('two', { state: { log: list() } })
      .node('ask', async () => ({
        log: [await interruptForInput('q1?'), await interruptForInput('q2?')],
      }))
      .edge(START, 'ask')
      .edge('ask', END)
    const first = await threads.start(two)
    const second = await threads.resume(two, first, { answer: 'A' })
    expect(messages(second)).toEqual(['q2?'])
    const again = await threads.resume(two, first)
    expect(again.interrupts).toEqual(second.interrupts)

    const done = await threads.resume(two, first, { answer: 'B' })
    expect(done.state['log']).toEqual(['A', 'B'])
  })

  test('B02 a router that throws after an answer is asked again, and nothing else', async () => {
    const threads = new Threads()
    let broken = true
    let routed = 0
    const flow = graph('routed', { state: { log: list() } })
      .node('a', async () => ({ log: [await interruptForInput('a?')] }))
      .node('b', () => ({ log: ['b'] }))
      .edge(START, 'a')
      .branch(
        'a',
        () => {
          routed += 1
          if (broken) throw new Error('no route')
          return 'b'
        },
        ['b', END],
      )
      .edge('b', END)
    const paused = await threads.start(flow)
    const failed = await threads.resume(flow, paused, { answer: 'A' })
    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('no route')
    expect(failed.state['log']).toEqual(['A'])

    broken = false
    const events = await eventsOf(threads.resumeRun(flow, paused))
    expect(startedNodes(events)).toEqual(['b'])
    const view = await threads.runner().get(paused.threadId)
    expect(view).toMatchObject({ status: 'completed', state: { log: ['A', 'b'] } })
    expect(routed).toBe(2)
  })

  test('L95 the error of a router reaches the caller', async () => {
    const flow = graph('routed', { state: { x: 0 } })
      .node('a', () => ({}))
      .edge(START, 'a')
      .branch(
        'a',
        () => {
          throw new TypeError('bad route')
        },
        [END],
      )
    await expect(flow.invoke({})).rejects.toThrow('bad route')
  })

  test('B04 an answer to a used question is refused', async () => {
    const threads = new Threads()
    const ask = flow('ask', async () => interruptForInput('one?'))
    const paused = await threads.start(ask)
    const answers = { [question(paused).id]: 'one' }
    expect((await threads.resume(ask, paused, { answers })).output).toBe('one')

    await expect(threads.resume(ask, paused, { answers })).rejects.toMatchObject({
      name: 'AlreadyAnsweredError',
    })
  })

  test('B05 a yes covers only the text it was given for', async () => {
    const threads = new Threads()
    let amount = 10
    const pay = flow('pay', async () => interruptForApproval(`pay ${amount}?`))
    const paused = await threads.start(pay)
    const { id } = question(paused)
    amount = 1000
    const refused = threads.resume(pay, paused, { answer: true })
    await expect(refused).rejects.toMatchObject({ name: 'StaleAnswerError' })
    await expect(refused).rejects.toThrow(/"pay 10\?".*"pay 1000\?"/u)

    const view = await threads.runner().get(paused.threadId)
    expect(question(view)).toMatchObject({
      id,
      message: 'pay 1000?',
      changedFrom: { message: 'pay 10?' },
    })
    // Ruling: a changed question takes an answer only with its new digest.
    await expect(threads.resume(pay, paused, { answer: true })).rejects.toMatchObject({
      name: 'StaleAnswerError',
    })
    const done = await threads.resume(pay, paused, {
      answers: { [id]: true },
      digests: { [id]: question(view).digest },
    })
    expect(done).toMatchObject({ status: 'completed', output: true })
  })

  test('B05 a question may say that a change does not matter', async () => {
    const threads = new Threads()
    let n = 0
    const ask = flow('ask', async () =>
      interruptForApproval(`try ${(n += 1)}?`, { onChange: 'accept' }),
    )
    const paused = await threads.start(ask)

    expect((await threads.resume(ask, paused, { answer: true })).output).toBe(true)
  })

  test('B05 an answered question that changes later is asked again and nothing after it runs', async () => {
    const threads = new Threads()
    let text = 'send a?'
    const sent: string[] = []
    const twice = flow('twice', async () => {
      const ok = await interruptForApproval(text)
      if (ok) await step('send', () => sent.push(text), { key: text })
      return interruptForInput('then?')
    })
    const first = await threads.start(twice)
    const second = await threads.resume(twice, first, { answer: true })
    expect(sent).toEqual(['send a?'])
    text = 'send b?'
    await expect(threads.resume(twice, second, { answer: 'x' })).rejects.toMatchObject({
      name: 'ReplayMismatchError',
    })

    expect(sent).toEqual(['send a?'])
    const view = await threads.runner().get(first.threadId)
    expect(view.status).toBe('suspended')
    expect(messages(view)).toContain('then?')
  })

  test('B08 accepted answers stay in order and a step runs once', async () => {
    const threads = new Threads()
    let effects = 0
    const loop = flow('loop', async () => {
      await step('effect', () => (effects += 1))
      const given: string[] = []
      while (given.at(-1) !== 'good') given.push(await interruptForInput(`try ${given.length}?`))
      return given
    })
    let left = await threads.start(loop)
    for (const answer of ['bad1', 'bad2', 'bad3', 'good'])
      left = await threads.resume(loop, left, { answer })

    expect(left.output).toEqual(['bad1', 'bad2', 'bad3', 'good'])
    expect(effects).toBe(1)
  })

  test('B11 a question whose text is built by a step is built once', async () => {
    const threads = new Threads()
    let built = 0
    const ask = flow('ask', async () => {
      const text = await step('text', () => `question ${(built += 1)}`)
      return interruptForInput(text)
    })
    const paused = await threads.start(ask)
    expect((await threads.resume(ask, paused, { answer: 'A' })).output).toBe('A')
    expect(built).toBe(1)
  })

  test('B13 goto replaces the edges of the node', async () => {
    const threads = new Threads()
    const flow = graph('goto', { state: { log: list() } })
      .node('a', () => new Command({ update: { log: ['a'] }, goto: 'c' }), { ends: ['c'] })
      .node('b', () => ({ log: ['b'] }))
      .node('c', () => ({ log: ['c'] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
      .edge('c', END)
    expect((await threads.start(flow)).state['log']).toEqual(['a', 'c'])
  })

  test('B14 a node can not change the state in place', async () => {
    const threads = new Threads()
    const flow = graph('mutate', { state: { log: [] as string[], answer: '', error: '' } })
      .node('ask', async (state) => {
        let error = ''
        try {
          ;(state.log as string[]).push('x')
        } catch (thrown) {
          error = String(thrown)
        }
        return { answer: await interruptForInput('ok?'), error }
      })
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow)
    const done = await threads.resume(flow, paused, { answer: 'A' })

    expect(done.state['log']).toEqual([])
    expect(done.state['error']).toContain('TypeError')
  })

  test('B17 a large question asked twice pauses twice', async () => {
    const threads = new Threads()
    const history = 'x'.repeat(1_000_000)
    const flow2 = flow('big', async () => [
      await interruptForInput('first?', { payload: { history } }),
      await interruptForInput('second?', { payload: { history } }),
    ])
    const first = await threads.start(flow2)
    const second = await threads.resume(flow2, first, { answer: '1' })
    expect(messages(second)).toEqual(['second?'])
    expect((question(second).payload as { history: string }).history).toHaveLength(1_000_000)
  })

  test('O01 a step with other arguments runs again, with the same ones it does not', async () => {
    const threads = new Threads()
    const calls: string[] = []
    let args = ['a', 'b']
    const load = (name: string) =>
      step(
        'load',
        () => {
          calls.push(name)
          return name.toUpperCase()
        },
        { args: name },
      )
    const ask = flow('ask', async () => {
      const [one = '', two = ''] = args
      const loaded = [await load(one), await load(two)]
      return [...loaded, await interruptForInput('ok?')]
    })
    const paused = await threads.start(ask)
    args = ['b', 'a']
    const done = await threads.resume(ask, paused, { answer: '!' })

    expect(done.output).toEqual(['B', 'A', '!'])
    expect(calls).toEqual(['a', 'b'])
  })

  test('O14 a choice without choices is an error at the call', async () => {
    const threads = new Threads()
    const flow2 = graph('empty', { state: { pick: '' } })
      .node('choose', async () => ({ pick: await interruptForChoice('Which?', []) }))
      .edge(START, 'choose')
      .edge('choose', END)
    const failed = await threads.start(flow2)

    expect(failed.status).toBe('failed')
    expect(failed.interrupts).toEqual([])
    expect(failed.error?.message).toMatch(/node:choose.*"Which\?" has no options/u)
  })
})

describe('steps that are remembered', () => {
  test('L49 steps before a question do not run again', async () => {
    const threads = new Threads()
    let n = 0
    const work = flow('work', async () => {
      const a = await step('a', () => (n += 1))
      const b = await step('b', () => (n += 1))
      const answer = await interruptForInput('ok?')
      return `${a}${b}${answer}${await step('c', () => (n += 1))}`
    })
    const paused = await threads.start(work)

    expect((await threads.resume(work, paused, { answer: '-' })).output).toBe('12-3')
  })

  test('L51 a loop of a step and a question counts three steps', async () => {
    const threads = new Threads()
    let steps = 0
    const loop = flow('loop', async () => {
      const given: string[] = []
      for (let i = 0; i < 3; i++) {
        await step('count', () => (steps += 1))
        given.push(await interruptForInput(`${i}?`))
      }
      return given
    })
    let left = await threads.start(loop)
    for (const answer of ['x', 'y', 'z']) left = await threads.resume(loop, left, { answer })

    expect(left.output).toEqual(['x', 'y', 'z'])
    expect(steps).toBe(3)
  })

  test('L52 a step that returns false is remembered', async () => {
    for (const value of [false, 0, '', null, undefined]) {
      const threads = new Threads()
      let ran = 0
      const once = flow('once', async () => {
        const kept = await step('value', () => {
          ran += 1
          return value
        })
        await interruptForInput('ok?')
        return { kept }
      })
      const paused = await threads.start(once)
      const done = await threads.resume(once, paused, { answer: 'x' })
      expect(done.output).toEqual({ kept: value })
      expect(ran).toBe(1)
    }
  })

  test('L53 two asking nodes in a row get their own answers', async () => {
    const threads = new Threads()
    const two = flow('two', async () => {
      const ask = async (name: string): Promise<string> =>
        `${await step(name, () => name)}:${await interruptForInput(`${name}?`)}`
      return [await ask('a'), await ask('b')]
    })
    const first = await threads.start(two)
    const second = await threads.resume(two, first, { answer: '1' })
    expect(messages(await threads.runner().get(first.threadId))).toEqual(['b?'])
    const done = await threads.resume(two, second, { answer: '2' })
    expect(done.output).toEqual(['a:1', 'b:2'])
  })

  test('L57 a step that returns a generator is refused', async () => {
    const bad = flow('bad', async () =>
      step('gen', function* () {
        yield 1
      }),
    )
    const failed = await new Threads().start(bad)
    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('step "gen"')
  })
})

describe('commands', () => {
  const routes = graph('routes', { state: { seen: '', log: list() } })
    .node('start', async () => ({ log: [await interruptForInput('start?')] }))
    .node('x', ({ seen }) => ({ log: [`x saw ${seen}`] }))
    .edge(START, 'start')
    .branch('start', ({ seen }) => (seen === '' ? END : 'x'), ['x', END])
    .edge('x', END)

  test('S170 goto takes a node or END, and the update comes before the jump', async () => {
    const threads = new Threads()
    const one = await threads.start(routes)
    const jumped = await threads.resume(routes, one, { goto: 'x', update: { seen: 'edit' } })
    expect(jumped).toMatchObject({ status: 'completed', state: { log: ['x saw edit'] } })
    const two = await threads.start(routes)
    const ended = await threads.resume(routes, two, { goto: END })
    expect(ended).toMatchObject({ status: 'completed', state: { log: [] } })
    const three = await threads.start(routes)
    const conditional = await threads.resume(routes, three, { answer: 'A' })
    expect(conditional).toMatchObject({ status: 'completed', state: { log: ['A'] } })
  })

  test('B85 an unknown goto is an error with the nearest name', async () => {
    const threads = new Threads()
    const flow2 = graph('typo', { state: { log: list() } })
      .node('plan', () => new Command({ goto: 'reserch' }), { ends: ['research'] })
      .node('research', () => ({ log: ['r'] }))
      .edge(START, 'plan')
      .edge('research', END)
    const failed = await threads.start(flow2)
    expect(failed.error).toMatchObject({
      name: 'UnknownNameError',
      message: 'node:plan: there is no node "reserch"',
      hint: 'Did you mean "research"?',
    })

    const paused = await threads.start(routes)
    const before = await threads.runner().get(paused.threadId)
    await expect(threads.resume(routes, paused, { goto: 'strat' })).rejects.toMatchObject({
      name: 'UnknownNameError',
      hint: 'Did you mean "start"?',
    })
    await expect(threads.resume(routes, paused, { update: { sen: 1 } })).rejects.toMatchObject({
      name: 'UnknownNameError',
      hint: 'Did you mean "seen"?',
    })
    expect(await threads.runner().get(paused.threadId)).toEqual(before)
  })

  test('S62 a branch that names an undeclared node is an error that names it', async () => {
    const flow2 = graph('branchy', { state: { log: list() } })
      .node('a', () => ({}))
      .node('b', () => ({}))
      .edge(START, 'a')
      .branch('a', () => 'c' as 'b', ['b', END])
      .edge('b', END)
    const failed = await new Threads().start(flow2)
    expect(failed.error).toMatchObject({ name: 'UnknownNameError' })
    expect(failed.error?.message).toMatch(/branch of a.*"c"/u)
  })
})
