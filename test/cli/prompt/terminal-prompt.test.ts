// Real prompts on a pseudo terminal: what people press, and what the screen shows.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { Driver, type DriverReport, type DriverRun } from '../../support/driver.ts'
import type { DriverPlan } from '../../support/prompt-driver.ts'
import { keys, pause } from '../../support/pty.ts'

const driver = new Driver()
afterEach(() => driver.close())
afterAll(() => driver.remove())

const LATER = 'Decide later'
const approval = { message: 'Deploy build 4821 to production?' }
const options = ['staging-eu', 'staging-us', 'production']
const choices = options.map((name) => ({ value: name, name }))
const schema = {
  type: 'object',
  required: ['version'],
  properties: { version: { type: 'string' } },
}
const questions = {
  approval,
  choice: { kind: 'choice', message: 'Which?', choices },
  search: { kind: 'choice', message: 'Which?', choiceCount: 40 },
  input: { kind: 'input', message: 'Name?' },
  secret: { kind: 'input', message: 'Key?', secret: true },
  form: { kind: 'form', message: 'Plan', schema },
  custom: { kind: 'custom', message: 'Anything', payload: { a: 1 } },
  breakpoint: { kind: 'breakpoint', message: 'Before publish' },
} as const satisfies Readonly<Record<string, DriverPlan['questions'][number]>>
const ready = {
  approval: LATER,
  choice: LATER,
  search: 'type more to narrow|customer-9',
  input: 'Answer',
  secret: 'Answer',
  form: 'version:',
  custom: LATER,
  breakpoint: LATER,
} as const

type Kind = keyof typeof questions
const kinds = Object.keys(questions) as readonly Kind[]

async function open(kind: Kind): Promise<DriverRun> {
  const run = driver.run({ questions: [questions[kind]] })
  await run.pty.until(new RegExp(ready[kind], 'u'))
  await pause(60)
  return run
}

/** What must hold after every exit. */
function expectRestored(run: DriverRun, report: DriverReport): void {
  expect(run.pty.cursorVisible).toBe(true)
  expect(report.listeners[1]).toEqual(report.listeners[0])
}

describe('leaving a prompt', () => {
  const waysOut = [
    ['Esc', keys.escape, 'esc'],
    ['Ctrl+D', keys.ctrlD, 'ctrl-d'],
  ] as const

  test.each(kinds.flatMap((kind) => waysOut.map(([name, key, via]) => ({ kind, name, key, via }))))(
    'B68 by $name in $kind defers',
    async ({ kind, key, via }) => {
      const run = await open(kind)

      run.pty.send(key)
      const { code, report } = await run.end()

      expect(code).toBe(75)
      expect(report).toMatchObject({ answers: {}, left: { kind: 'deferred', via } })
      expectRestored(run, report)
    },
  )

  test.each(['approval', 'custom', 'breakpoint'] as const)(
    'by Enter alone in %s defers',
    async (kind) => {
      const run = await open(kind)

      run.pty.send(keys.enter)
      const { code, report } = await run.end()

      expect(code).toBe(75)
      expect(report).toMatchObject({ answers: {}, left: { via: 'choice' } })
    },
  )

  test.each(['approval', 'input', 'search', 'secret', 'form'] as const)(
    'B68 by Ctrl+C in %s is 130',
    async (kind) => {
      const run = await open(kind)

      run.pty.send(keys.ctrlC)
      const { code, report } = await run.end()

      expect(code).toBe(130)
      expect(report.left).toMatchObject({ kind: 'interrupted' })
      expectRestored(run, report)
    },
  )

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('B68 by %s is %i', async (signal, expected) => {
    const plan: DriverPlan = { questions: [approval] }
    const run = driver.run(plan, { shell: 'exec $DRIVER > "$OUT"' })
    await run.pty.until(LATER)

    run.pty.kill(signal)
    const { code, report } = await run.end()

    expect(code).toBe(expected)
    expect(report.left).toMatchObject({ kind: 'stopped', signal })
    expectRestored(run, report)
  })

  test('B68 by closing the terminal leaves time to save, and is 129', async () => {
    const ended = join(driver.folder, 'ended')
    const plan: DriverPlan = { questions: [approval] }
    const run = driver.run(plan, {
      shell: `trap : HUP; $DRIVER > "$OUT"; echo $? > ${ended}.new; mv ${ended}.new ${ended}`,
    })
    await run.pty.until(LATER)
    await pause(60)

    run.pty.hangUp()
    while (!existsSync(ended)) await pause(20)

    expect(readFileSync(ended, 'utf8')).toBe('129\n')
    const report = run.report()
    expect(report.answers).toEqual({})
    expect(['eof', 'SIGHUP']).toContain(report.left?.via ?? report.left?.signal)
  })

  test('says when typed text is lost', async () => {
    const run = await open('input')

    await run.pty.type('half an answer')
    run.pty.send(keys.escape)
    const { report } = await run.end()

    expect(report.left).toMatchObject({ via: 'esc', typed: true })
  })

  test('Esc is taken within a moment', async () => {
    const run = await open('approval')
    const start = Date.now()

    run.pty.send(keys.escape)
    await run.pty.until((pty) => pty.cursorVisible)

    // Left alone, readline waits half a second for what may follow an Esc.
    expect(Date.now() - start).toBeLessThan(450)
    await run.end()
  })

  test('happens by itself after the time for an answer', async () => {
    const run = driver.run({ questions: [approval], options: { timeoutMs: 300 } })

    const { code, report } = await run.end()

    expect(code).toBe(75)
    expect(report.left).toMatchObject({ kind: 'deferred', via: 'timeout' })
    expectRestored(run, report)
  })

  test('closes the question that was to come', async () => {
    const run = driver.run({ questions: [approval, { message: 'Second?' }] })
    await run.pty.until('Answer now')

    run.pty.send(keys.enter)
    await run.pty.until('1 of 2')
    run.pty.send(keys.escape)
    await run.end()

    expect(run.pty.text()).not.toContain('2 of 2')
  })

  test('happens when the question is answered elsewhere', async () => {
    const run = driver.run({ questions: [approval], elsewhereMs: 500 })

    const { code, report } = await run.end()

    expect(code).toBe(0)
    expect(report.answers).toEqual({})
    expect(run.pty.text()).toContain('⏸ Answered by ann.')
    expectRestored(run, report)
  })
})

describe('nothing is approved by accident', () => {
  test('type-ahead answers nothing', async () => {
    const plan: DriverPlan = { questions: [approval] }
    const run = driver.run(plan, { shell: 'sleep 1; exec $DRIVER > "$OUT"' })

    run.pty.send('y\r', 'a\r')
    await run.pty.until(LATER)
    await pause(300)

    expect(run.pty.text()).toContain(`❯ ${LATER}`)
    run.pty.send(keys.escape)
    expect((await run.end()).report.answers).toEqual({})
  })

  test('what was being typed when a question was taken away answers no other', async () => {
    const second = { kind: 'input', message: 'Second?', id: 'i_second000001' } as const
    const run = driver.run({
      questions: [questions.input],
      elsewhereMs: 400,
      afterwards: [second],
    })
    await run.pty.until(ready.input)

    await run.pty.type('as slowly as people do', 120)
    run.pty.send(keys.enter)
    await run.pty.until(/Second\?[^]*Answer/u)
    run.pty.send(keys.escape)

    expect((await run.end()).report.answers).toEqual({})
  })

  test('keys during work before the question answer nothing', async () => {
    const run = driver.run({ questions: [approval], busyMs: 700 })

    await pause(400)
    run.pty.send('a\r', 'y\r')
    await run.pty.until(LATER)
    await pause(300)
    run.pty.send(keys.escape)

    expect((await run.end()).report.answers).toEqual({})
  })

  test('O13 a paste answers the question it was pasted into and no other', async () => {
    const run = driver.run({ questions: [questions.input, approval] })
    await run.pty.until('Answer now')
    run.pty.send(keys.enter)
    await run.pty.until(/1 of 2[^]*\? Answer$/u)
    await pause(60)

    run.pty.send(`${'x'.repeat(500)}\r${'y\r'.repeat(1500)}`)
    await run.pty.until('2 of 2')
    await run.pty.until(`❯ ${LATER}`)
    await pause(300)
    run.pty.send(keys.escape)
    const { report } = await run.end()

    expect(report.answers).toEqual({ i_question0001: 'x'.repeat(500) })
  })

  test.each([
    ['Tab', keys.tab],
    ['the left arrow', '\u001b[D'],
    ['Home', '\u001b[H'],
    ['Ctrl+A', '\u0001'],
    ['Delete', '\u001b[3~'],
  ])('%s does not move the cursor to yes', async (_, key) => {
    const run = await open('approval')

    run.pty.send(key)
    await pause(100)
    run.pty.send(keys.enter)
    const { report } = await run.end()

    expect(report).toMatchObject({ answers: {}, left: { via: 'choice' } })
  })

  test('letters move and Enter decides', async () => {
    const run = await open('approval')

    run.pty.send('a')
    await run.pty.until('❯ Approve')
    run.pty.send(keys.enter)
    const { code, report } = await run.end()

    expect(code).toBe(0)
    expect(report.answers).toEqual({ i_question0001: true })
    expect(run.pty.lines().at(-1)).toBe('✔ Approved  node:review')
    expectRestored(run, report)
  })

  test('a dangerous one needs the id of its thread', async () => {
    const run = driver.run({ questions: [{ ...approval, danger: true }] })
    await run.pty.until(LATER)
    await pause(60)

    run.pty.send('a')
    await run.pty.until('❯ Approve')
    run.pty.send(keys.enter)
    await run.pty.until('Type 7f3k to confirm')
    await run.pty.type('7f3k')
    run.pty.send(keys.enter)

    expect((await run.end()).report.answers).toEqual({ i_question0001: true })
  })
})

describe('several prompts', () => {
  test('B70 come one after the other, each with its own answer', async () => {
    const run = driver.run({ questions: [approval, { message: 'And checkout?' }], chatter: true })
    await run.pty.until('Answer now')
    run.pty.send(keys.enter)

    await run.pty.until(/1 of 2[^]*❯ Decide later/u)
    run.pty.send('a')
    await run.pty.until('❯ Approve')
    run.pty.send(keys.enter)
    await run.pty.until(/2 of 2[^]*❯ Decide later/u)
    run.pty.send('r')
    await run.pty.until('❯ Reject')
    run.pty.send(keys.enter)
    const { report } = await run.end()

    expect(report.answers).toEqual({ i_question0001: true, i_question0002: false })
  })

  test('hold the logs while they are open', async () => {
    const run = driver.run({ questions: [approval], chatter: true })
    await run.pty.until(LATER)
    await pause(300)
    const menu = run.pty.text().slice(run.pty.text().indexOf('? Your decision'))

    expect(menu).not.toContain('log line')
    run.pty.send(keys.escape)
    await run.end()
    expect(run.pty.text()).toContain('log line')
  })

  test('B77 work twenty times in a row and leave no listener', async () => {
    const twenty = Array.from({ length: 20 }, (_, index) => ({
      kind: 'choice' as const,
      message: `Question ${index}`,
      choices,
    }))
    const run = driver.run({ questions: twenty })
    await run.pty.until('Answer now')
    run.pty.send(keys.enter)

    for (let index = 1; index <= 20; index++) {
      await run.pty.until(new RegExp(`\\b${index} of 20[^]*❯ staging-eu`, 'u'))
      await pause(30)
      run.pty.send(keys.enter)
    }
    const { code, report } = await run.end()

    expect(code).toBe(0)
    expect(Object.keys(report.answers)).toHaveLength(20)
    // B73
    expectRestored(run, report)
  })
})
