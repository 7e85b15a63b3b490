// Prompts on terminals that are only lines, and after the process was stopped.

import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { Driver } from '../../support/driver.ts'
import type { DriverPlan } from '../../support/prompt-driver.ts'
import { keys, pause } from '../../support/pty.ts'

const driver = new Driver()
afterEach(() => driver.close())
afterAll(() => driver.remove())

const LATER = 'Decide later'
const approval = { message: 'Deploy build 4821 to production?' }
const input = { kind: 'input', message: 'Name?' } as const
const choices = ['staging-eu', 'staging-us', 'production'].map((name) => ({ value: name, name }))
const schema = {
  type: 'object',
  required: ['version'],
  properties: { version: { type: 'string' } },
}

describe('a stopped process', () => {
  test('Ctrl+Z and fg go on with what was typed', async () => {
    const run = driver.run({ questions: [input] }, { typed: true, columns: 120 })
    await run.pty.until('? Answer')
    await pause(60)
    await run.pty.type('hey')
    run.pty.send(keys.ctrlZ)
    await run.pty.until('Stopped')
    expect(run.pty.cursorVisible).toBe(true)

    run.pty.send('fg\n')
    await run.pty.until(/Stopped[^]*Name\?[^]*\? Answer hey/u)
    await run.pty.type('X')
    await run.pty.until('heyX')
    run.pty.send(keys.enter)
    await run.pty.until('✔ Answered')
    await pause(100)
    run.pty.send('exit\n')

    expect((await run.end()).report.answers).toEqual({ i_question0001: 'heyX' })
  })

  test('Ctrl+Z does not move a list to yes', async () => {
    const run = driver.run({ questions: [approval] }, { typed: true, columns: 120 })
    await run.pty.until(`❯ ${LATER}`)
    await pause(60)
    run.pty.send(keys.ctrlZ)
    await run.pty.until('Stopped')

    run.pty.send('fg\n')
    await run.pty.until(/Stopped[^]*❯ Decide later/u)
    await pause(100)
    run.pty.send(keys.enter)
    await run.pty.until(/Stopped[^]*Deploy build[^]*\n\$$/u)
    run.pty.send('exit\n')

    expect((await run.end()).report).toMatchObject({ answers: {}, left: { via: 'choice' } })
  })
})

describe('a line terminal', () => {
  const dumb = { env: { TERM: 'dumb' } }

  test('is asked by numbers and words, without moving the cursor', async () => {
    const run = driver.run({ questions: [{ ...approval, payload: { a: 1 } }] }, dumb)
    await run.pty.until('Enter [5]:')

    await run.pty.type('maybe\r')
    await run.pty.until(/maybe\nType a number/u)
    await run.pty.type('3\r')
    await run.pty.until('Reason:')
    await run.pty.type('too risky\r')
    const { report } = await run.end()

    expect(report.answers).toEqual({ i_question0001: false })
    expect(report.sources).toMatchObject([{ via: 'prompt', reason: 'too risky' }])
    expect(run.pty.raw).not.toContain('\u001b')
    expect(`\n${run.pty.text()}\n`).toMatchInlineSnapshot(`
      "

      [hexagon] Approval needed: flows/deploy.ts, node:review, question 1 of 1
      Deploy build 4821 to production?
      {
        "a": 1
      }
      1) approve  2) reject  3) reject with a reason  4) view  5) later
      Type a number or word, then Enter [5]: maybe
      Type a number or word, then Enter [5]: 3
      Reason: too risky
      Rejected: node:review: too risky
      "
    `)
  })

  test.each([
    ['Enter', '\r', 75],
    ['Ctrl+D', keys.ctrlD, 75],
    ['Ctrl+C', keys.ctrlC, 130],
    ['later', 'later\r', 75],
    ['y', 'y\rlater\r', 75],
  ])('is left by %s', async (_, typed, expected) => {
    const run = driver.run({ questions: [approval] }, dumb)
    await run.pty.until('Enter [4]:')

    run.pty.send(typed)
    const { code, report } = await run.end()

    expect(code).toBe(expected)
    expect(report.answers).toEqual({})
  })

  test('takes type-ahead for no answer', async () => {
    const plan: DriverPlan = { questions: [approval] }
    const run = driver.run(plan, { ...dumb, shell: 'sleep 1; exec $DRIVER > "$OUT"' })

    run.pty.send('1\r', 'approve\r')
    await run.pty.until('Enter [4]:')
    await pause(300)
    run.pty.send('\r')

    expect((await run.end()).report.answers).toEqual({})
  })

  test('answers every kind', async () => {
    const asked: DriverPlan['questions'] = [
      { kind: 'choice', message: 'Which?', choices },
      { kind: 'choice', message: 'Which?', choiceCount: 40 },
      input,
      { kind: 'input', message: 'Key?', secret: true },
      { kind: 'form', message: 'Plan', schema },
    ]
    const run = driver.run({ questions: asked }, dumb)
    const answer = async (shown: string | RegExp, text: string): Promise<void> => {
      await run.pty.until(shown)
      await run.pty.type(`${text}\r`)
    }

    await answer('Enter [1]:', 'each')
    await answer('1 of 5', '2')
    await answer('Type part of one of 40 options', 'omer-3')
    await answer('11 options have that in them', 'customer-37')
    await answer(/3 of 5[^]*Answer:/u, 'ann')
    await answer('Answer (not shown):', 's3cretX\u007f')
    await answer(/5 of 5[^]*version:/u, '1.9.1')
    await answer('Enter [1]:', 'send')
    await run.pty.until(/version: 1\.9\.1[^]*Enter \[\d\]:/u)
    await run.pty.type('send\r')
    const { report } = await run.end()

    expect(report.answers).toEqual({
      i_question0001: 'staging-us',
      i_question0002: 'customer-37',
      i_question0003: 'ann',
      i_question0004: 's3cret',
      i_question0005: { version: '1.9.1' },
    })
    expect(run.pty.text()).not.toContain('s3cret')
  })
})
