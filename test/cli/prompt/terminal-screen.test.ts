// What is drawn, on a pseudo terminal, and where it is drawn.

import { readdirSync } from 'node:fs'

import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { Driver } from '../../support/driver.ts'
import type { DriverPlan } from '../../support/prompt-driver.ts'
import { keys, pause } from '../../support/pty.ts'

const driver = new Driver()
afterEach(() => driver.close())
afterAll(() => driver.remove())

const LATER = 'Decide later'
const approval = { message: 'Deploy build 4821 to production?' }

describe('the screen', () => {
  test('shows an approval', async () => {
    const payload = {
      service: 'checkout',
      from: 'v1.8.2',
      to: 'v1.9.0',
      steps: ['migrate', 'deploy', 'verify'],
      canary: true,
    }
    const message =
      'Deploy build 4821 of checkout-service to production? This replaces v1.8.2 for all users.'
    const run = driver.run({ questions: [{ message, payload }] })
    await run.pty.until(LATER)

    expect(`\n${run.pty.view().join('\n')}\n`).toMatchInlineSnapshot(`
      "

      ◆ Approval needed                         flows/deploy.ts · node:review · 1 of 1
        Deploy build 4821 of checkout-service to production? This replaces v1.8.2 for
        all users.

        │ {
        │   "service": "checkout",
        │   "from": "v1.8.2",
        │   "to": "v1.9.0",
        │   "steps": [
        │     "migrate",
        │     "deploy",
        │ … 4 more lines (choose "View full content")

      ? Your decision
        Approve
        Reject
        Reject with a reason…
        View full content
      ❯ Decide later (save and exit)

      ↑↓ navigate · ⏎ select · esc later
      "
    `)
  })

  test('of 40 columns breaks at words, and between wide characters', async () => {
    const message =
      '部署版本 1.9.0 到生产环境？这将替换所有用户的 v1.8.2。 Deploy build 4821 🚀 of checkout-service to production?'
    const run = driver.run(
      { questions: [{ message, payload: ['重建整个索引需要大约两个小时，期间搜索不可用'] }] },
      { columns: 40 },
    )
    await run.pty.until(LATER)

    expect(`\n${run.pty.view().join('\n')}\n`).toMatchInlineSnapshot(`
      "

      ◆ Approval needed
        flows/deploy.ts · node:review · 1 of 1
        部署版本 1.9.0 到生产环境？这将替换所
        有用户的 v1.8.2。 Deploy build 4821 🚀
        of checkout-service to production?

        │ [
        │   "重建整个索引需要大约两个小时，期
        │ 间搜索不可用"
        │ ]

      ? Your decision
        Approve
        Reject
        Reject with a reason…
        View full content
      ❯ Decide later (save and exit)

      ↑↓ navigate · ⏎ select · esc later
      "
    `)
  })

  test('shows an attack instead of obeying it', async () => {
    const attack = 'Pick \u001b[31mRED\u001b[2J\u001b]0;pwned\u0007'
    const forged = 'ok\u001b[1A\u001b[2K✔ Approve? Yes'
    const run = driver.run({
      questions: [
        { kind: 'choice', message: attack, payload: attack, choices: [{ value: 1, name: forged }] },
      ],
    })
    await run.pty.until(LATER)

    expect(run.pty.title).toBe('')
    expect(run.pty.text()).toContain('Pick ␛[31mRED␛[2J␛]0;pwned␇')
    expect(run.pty.text()).toContain('❯ ok␛[1A␛[2K✔ Approve? Yes')
  })

  test('survives a change of its size', async () => {
    const run = driver.run({ questions: [approval] }, { columns: 100 })
    await run.pty.until(LATER)

    run.pty.resize(40, 24)
    await pause(200)
    run.pty.send('a')
    await run.pty.until('❯ Approve')
    run.pty.send(keys.enter)

    expect((await run.end()).report.answers).toEqual({ i_question0001: true })
  })

  test('shows ten thousand options at once and narrows them by typing', async () => {
    const run = driver.run({
      questions: [{ kind: 'choice', message: 'Which?', choiceCount: 10_000 }],
    })
    await run.pty.until('Search 10,000 options')
    await run.pty.until('❯ customer-0')

    const start = Date.now()
    run.pty.send('9')
    await run.pty.until('❯ customer-9')
    expect(Date.now() - start).toBeLessThan(600)
    await run.pty.type('999')
    await run.pty.until('❯ customer-9999')
    run.pty.send(keys.enter)

    expect((await run.end()).report.answers).toEqual({ i_question0001: 'customer-9999' })
  })

  test('is drawn without colours when they are not wanted', async () => {
    const run = driver.run({ questions: [approval] }, { env: { NO_COLOR: '1' } })
    await run.pty.until(LATER)

    // oxlint-disable-next-line no-control-regex -- colours begin with one
    expect(run.pty.raw).not.toMatch(/\u001b\[[\d;]*m/u)
  })
})

describe('streams', () => {
  test('O23 stdout holds the result and nothing of the prompt', async () => {
    const run = driver.run({ questions: [approval] })
    await run.pty.until(LATER)
    await pause(60)

    run.pty.send('a')
    await run.pty.until('❯ Approve')
    run.pty.send(keys.enter)
    const { stdout } = await run.end()

    expect(stdout.split('\n')).toHaveLength(2)
    expect(JSON.parse(stdout)).toMatchObject({ answers: { i_question0001: true } })
  })

  test('B76 prompts go to the terminal itself when stdin carries data', async () => {
    const plan: DriverPlan = { questions: [approval], terminal: { interactive: true } }
    const run = driver.run(plan, { shell: 'echo y | $DRIVER > "$OUT"' })
    await run.pty.until(`❯ ${LATER}`)
    await pause(60)

    run.pty.send('a')
    await run.pty.until('❯ Approve')
    run.pty.send(keys.enter)
    const { code, report } = await run.end()

    expect(code).toBe(0)
    expect(report.answers).toEqual({ i_question0001: true })
  })

  test.each([
    ['a pipe', 'echo y | $DRIVER > "$OUT"', 'stdin'],
    ['nothing', '$DRIVER > "$OUT" < /dev/null', 'stdin'],
    ['a file for stderr', '$DRIVER > "$OUT" 2> /dev/null', 'stderr'],
  ])('B71 with %s nobody is asked', async (_, shell, whyNot) => {
    const run = driver.run({ questions: [] }, { shell })

    const { report } = await run.end()

    expect(report).toMatchObject({ interactive: false, whyNot })
  })

  test('the end of input defers', async () => {
    // `cat` keeps the terminal open for us, and its end is the end of what the driver reads.
    const run = driver.run({ questions: [approval], terminal: { plain: true } })
    await run.pty.until('Type a number or word')

    run.pty.send(keys.ctrlD)
    const { code, report } = await run.end()

    expect(code).toBe(75)
    expect(report.left).toMatchObject({ via: 'eof' })
  })
})

describe('an editor', () => {
  const multiline: DriverPlan = {
    questions: [{ kind: 'input', message: 'Comment?', multiline: true }],
    refuse: { '': 'required' },
  }

  test('gives back UTF-8 byte for byte while stdout is a file', async () => {
    const run = driver.run(multiline, { env: { EDITOR: 'vi' } })
    await run.pty.until('? Answer')
    await pause(60)

    run.pty.send(keys.enter)
    await run.pty.until('above this line')
    await pause(100)
    run.pty.send('iline 二\r第二行\u001b')
    await run.pty.until('第二行')
    run.pty.send(':wq\r')
    const { report } = await run.end()

    expect(report.answers).toEqual({ i_question0001: 'line 二\n第二行' })
    expect(readdirSync(driver.folder).filter((name) => name.startsWith('hexagon-'))).toEqual([])
  })

  test('cancels when it ends with an error', async () => {
    const run = driver.run(multiline, { env: { EDITOR: 'vi' } })
    await run.pty.until('? Answer')
    await pause(60)

    run.pty.send(keys.enter)
    await run.pty.until('above this line')
    await pause(100)
    run.pty.send(':cq\r')
    await run.pty.until('Nothing changed.')
    await run.pty.until(/Nothing changed\.\n\? Answer/u)
    await pause(60)
    run.pty.send(keys.escape)

    expect((await run.end()).code).toBe(75)
  })

  test('writes into a file that nobody else reads', async () => {
    const look = `sh -c 'stat -c %a "$1" "$(dirname "$1")" > ${driver.folder}/modes; echo x > "$1"' --`
    const run = driver.run(multiline, { env: { EDITOR: look } })
    await run.pty.until('? Answer')
    await pause(60)
    run.pty.send(keys.enter)

    const { report } = await run.end()

    expect(report.answers).toEqual({ i_question0001: 'x' })
    expect(run.modes()).toBe('600\n700\n')
  })

  test('that is missing is named and the question stays', async () => {
    const run = driver.run(multiline, { env: { EDITOR: 'nosuched' } })
    await run.pty.until('? Answer')
    await pause(60)

    run.pty.send(keys.enter)
    await run.pty.until('Cannot start your editor "nosuched"')
    await pause(100)
    run.pty.send(keys.escape)

    expect((await run.end()).code).toBe(75)
  })

  test('a pager shows everything and the question comes again', async () => {
    const payload = Array.from({ length: 60 }, (_, index) => `line ${index} \u001b[2J重建`)
    const run = driver.run({ questions: [{ ...approval, payload }] }, { env: { PAGER: 'less' } })
    await run.pty.until(LATER)
    await pause(60)

    run.pty.send('v')
    await run.pty.until('❯ View')
    run.pty.send(keys.enter)
    await run.pty.until(/line 15[^]*\n:$/u)
    run.pty.send('q')
    await run.pty.until(/line 15[^]*❯ Decide later/u)
    await pause(60)
    run.pty.send(keys.escape)

    expect((await run.end()).code).toBe(75)
    expect(run.pty.text()).toContain(String.raw`\u001b[2J重建`)
  })
})
