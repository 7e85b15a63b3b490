import { describe, expect, test } from 'vitest'

import {
  createPromptHandler,
  type DraftStore,
  type PromptHandlerOptions,
} from '../../../src/cli/prompt/handler.ts'
import type { InterruptContext } from '../../../src/core/command.ts'
import { CancelledError } from '../../../src/core/errors.ts'
import type { Interrupt } from '../../../src/core/interrupt.ts'
import { choices, question } from '../../support/question.ts'
import { fakeTerminal, type FakeOptions, type FakeTerminal } from '../../support/terminal.ts'

interface Session {
  readonly terminal: FakeTerminal
  readonly handler: ReturnType<typeof createPromptHandler>
  ask(...open: readonly Interrupt[]): Promise<unknown>
}

/** What the flow's own check refuses, by the JSON of the value. */
type Refused = Readonly<Record<string, string>>

function session(
  fake: FakeOptions,
  options: Partial<PromptHandlerOptions> & { readonly refused?: Refused } = {},
): Session {
  const { refused = {}, ...rest } = options
  const terminal = fakeTerminal(fake)
  const handler = createPromptHandler(terminal, { flow: 'flows/deploy.ts', ...rest })
  const context: InterruptContext = {
    signal: new AbortController().signal,
    check: async (_, value) => {
      const message = refused[JSON.stringify(value)]
      return message === undefined ? [] : [{ path: '', message }]
    },
  }
  return { terminal, handler, ask: async (...open) => handler(open, context) }
}

const one = question({ id: 'i_one' })
const two = question({ id: 'i_two', message: 'And this?' })
const three = question({
  id: 'i_three',
  kind: 'choice',
  message: 'Which?',
  choices: choices('a', 'b'),
})

describe('an approval', () => {
  test.each([
    ['Approve', { i_one: true }],
    ['Reject', { i_one: false }],
  ])('is answered by %s', async (name, answers) => {
    const { ask, handler } = session({ replies: [{ pick: name }] }, { source: { by: 'ann' } })

    expect(await ask(one)).toEqual({ answers, source: { by: 'ann', via: 'prompt' } })
    expect(handler.left).toBeUndefined()
  })

  test('is not answered by Enter alone', async () => {
    const { ask, handler } = session({ replies: ['enter'] })

    expect(await ask(one)).toBe('defer')
    expect(handler.left).toMatchObject({ kind: 'deferred', via: 'choice' })
  })

  test('keeps its reason beside a no', async () => {
    const { ask, terminal } = session({
      replies: [{ pick: 'Reject with a reason…' }, { type: ' too risky ' }],
    })

    expect(await ask(one)).toEqual({
      answers: { i_one: false },
      source: { via: 'prompt', reason: 'too risky' },
    })
    expect(terminal.lines.at(-1)).toBe('✖ Rejected  node:ask: too risky')
  })

  test('with detail keeps its reason in the value', async () => {
    const { ask } = session({
      replies: [{ pick: 'Reject with a reason…' }, { type: 'too risky' }],
    })

    expect(await ask({ ...one, detail: true })).toMatchObject({
      answers: { i_one: { approved: false, reason: 'too risky' } },
    })
  })

  test('with detail can be approved with changed arguments', async () => {
    const asked = { ...one, detail: true, payload: { tool: 'pay', args: { amount: 100 } } }
    const { ask, terminal } = session({
      replies: [{ pick: 'edit' }],
      edits: ['{ "amount": 80 }'],
    })

    expect(await ask(asked)).toMatchObject({
      answers: { i_one: { approved: true, edited: { amount: 80 } } },
    })
    expect(terminal.edited[0]?.text).toBe('{\n  "amount": 100\n}\n')
    expect(terminal.lines.at(-1)).toBe('✔ Approved with changes  node:ask')
  })

  test('without detail can not be changed', async () => {
    const { ask, terminal } = session({ replies: ['esc'] })

    await ask({ ...one, payload: { a: 1 } })

    expect(terminal.met[0]?.names).not.toContain('Approve with changes (editor)…')
  })

  test('is shown whole in the pager and asked again', async () => {
    const payload = { text: 'x\u001b[2J' }
    const { ask, terminal } = session({
      replies: [{ pick: 'View full content' }, { pick: 'Approve' }],
    })

    await ask({ ...one, payload })

    expect(terminal.paged).toEqual(['Go on?\n\n{\n  "text": "x\\u001b[2J"\n}\n'])
    expect(terminal.met).toHaveLength(2)
  })

  test('that is dangerous needs the thread id typed', async () => {
    const { ask, terminal } = session({
      replies: [{ pick: 'Approve' }, { type: 'yes' }, { pick: 'Approve' }, { type: '7f3k' }],
    })

    expect(await ask({ ...one, danger: true })).toMatchObject({ answers: { i_one: true } })
    expect(terminal.lines).toContain('✖ That is not it; nothing was approved.')
  })

  test('that is dangerous is rejected without that', async () => {
    const { ask } = session({ replies: [{ pick: 'Reject' }] })

    expect(await ask({ ...one, danger: true })).toMatchObject({ answers: { i_one: false } })
  })

  test('stays open when the flow refuses the answer', async () => {
    const { ask, terminal } = session(
      { replies: [{ pick: 'Approve' }, { pick: 'Reject' }] },
      { refused: { true: 'not before Monday' } },
    )

    expect(await ask(one)).toMatchObject({ answers: { i_one: false } })
    expect(terminal.lines).toContain('✖ not before Monday')
  })

  test('stays open when its check throws', async () => {
    const terminal = fakeTerminal({ replies: [{ pick: 'Approve' }, 'esc'] })
    const handler = createPromptHandler(terminal, { flow: 'deploy' })

    const decision = await handler([one], {
      signal: new AbortController().signal,
      check: () => Promise.reject(new Error('x is undefined')),
    })

    expect(decision).toBe('defer')
    expect(terminal.lines.join('\n')).toContain('The validator failed: x is undefined.')
    expect(terminal.lines.join('\n')).toContain('[E1410]')
  })
})

describe('a choice', () => {
  test('gives the value of the option', async () => {
    const asked = { ...three, choices: [{ value: { id: 7 }, name: 'seven' }] }
    const { ask, terminal } = session({ replies: [{ pick: 'seven' }] })

    expect(await ask(asked)).toMatchObject({ answers: { i_three: { id: 7 } } })
    expect(terminal.lines.at(-1)).toBe('✔ Chosen  node:ask: seven')
  })

  test('of an option called like the last entry is not a deferral', async () => {
    const asked = { ...three, choices: choices('Decide later (save and exit)') }
    const { ask } = session({ replies: ['enter'] })

    expect(await ask(asked)).toMatchObject({ answers: { i_three: 'Decide later (save and exit)' } })
  })

  test('begins at the default', async () => {
    const { ask } = session({ replies: ['enter'] })

    expect(await ask({ ...three, default: 'b' })).toMatchObject({ answers: { i_three: 'b' } })
  })

  test('of more than 12 is searched', async () => {
    const many = choices(...Array.from({ length: 13 }, (_, index) => `option ${index}`))
    const { ask, terminal } = session({ replies: [{ pick: 'option 12' }] })

    await ask({ ...three, choices: many })

    expect(terminal.met[0]).toMatchObject({ kind: 'search', message: 'Search 13 options:' })
  })

  test('O14 without options is asked as an open question', async () => {
    const { ask, terminal } = session({ replies: ['esc'] })

    await ask({ ...three, choices: [] })

    expect(terminal.met[0]?.names).toContain('Answer with text')
  })
})

describe('an input', () => {
  const input = question({ id: 'i_in', kind: 'input', message: 'Name?', payload: undefined })
  const strict = { refused: { '""': 'required', '"x"': 'must be a semver' } }

  test('is the line as typed', async () => {
    const { ask } = session({ replies: [{ type: ' 42 ' }] })

    expect(await ask(input)).toMatchObject({ answers: { i_in: ' 42 ' } })
  })

  test('is asked until the flow takes it', async () => {
    const { ask, terminal } = session({ replies: [{ type: 'x' }, { type: '1.0.0' }] }, strict)

    expect(await ask(input)).toMatchObject({ answers: { i_in: '1.0.0' } })
    expect(terminal.met[0]?.refused).toEqual(['must be a semver'])
  })

  test('opens the editor for an empty line that is no answer', async () => {
    const { ask } = session({ replies: ['enter'], edits: ['line one\n二'] }, strict)

    expect(await ask(input)).toMatchObject({ answers: { i_in: 'line one\n二' } })
  })

  test('may be empty where the flow takes that', async () => {
    const { ask, terminal } = session({ replies: ['enter'] })

    expect(await ask(input)).toMatchObject({ answers: { i_in: '' } })
    expect(terminal.edited).toEqual([])
  })

  test('O13 of several lines is written in the editor', async () => {
    const { ask, terminal } = session({ replies: ['enter'], edits: ['a\nb'] })

    expect(await ask({ ...input, multiline: true })).toMatchObject({ answers: { i_in: 'a\nb' } })
    expect(terminal.edited[0]).toMatchObject({ text: '' })
  })

  test('has its default in the line', async () => {
    const { ask } = session({ replies: ['enter'] })

    expect(await ask({ ...input, default: '1.2.3' })).toMatchObject({ answers: { i_in: '1.2.3' } })
  })

  test('has a default of several lines in the editor', async () => {
    const { ask, terminal } = session({ replies: ['enter'], edits: ['changed'] })

    await ask({ ...input, default: 'a\nb' })

    expect(terminal.edited[0]?.text).toBe('a\nb')
  })

  test.each([
    [{ kind: 'cancelled' }, 'Nothing changed.'],
    [{ kind: 'not-utf8' }, '✖ The file is not UTF-8. Nothing changed.'],
    [
      { kind: 'missing', command: 'nosuched' },
      '✖ Cannot start your editor "nosuched": not found. Set EDITOR, or use --text.',
    ],
    [{ kind: 'saved', text: ' \n' }, 'Nothing changed.'],
  ] as const)('stays open after %j', async (edited, line) => {
    const { ask, terminal } = session({ replies: ['enter', 'esc'], edits: [edited] }, strict)

    expect(await ask(input)).toBe('defer')
    expect(terminal.lines).toContain(line)
  })

  test('ends when the editor is ended by a signal', async () => {
    const stopped = { kind: 'stopped', signal: 'SIGTERM' } as const
    const { ask, handler } = session({ replies: ['enter'], edits: [stopped] }, strict)

    await ask(input)

    expect(handler.left).toMatchObject(stopped)
  })

  test('that is secret is not shown, neither typed nor recorded', async () => {
    const { ask, terminal } = session({ replies: [{ type: '' }, { type: 's3cret' }] })

    expect(await ask({ ...input, secret: true })).toMatchObject({ answers: { i_in: 's3cret' } })
    expect(terminal.met[0]?.kind).toBe('password')
    expect(terminal.lines.join('\n')).not.toContain('s3cret')
    expect(terminal.lines.at(-1)).toBe('✔ Answered  node:ask: ••••')
  })
})

describe('an open question', () => {
  const custom = question({ id: 'i_any', kind: 'custom', message: 'Anything', payload: { a: 1 } })

  test.each([
    [[{ pick: 'Approve' }], [], true],
    [[{ pick: 'Answer with text' }, { type: 'yes' }], [], 'yes'],
    [[{ pick: 'Answer with JSON (editor)' }], ['{"a":[1]}'], { a: [1] }],
    [[{ pick: 'json' }], ['false'], false],
  ] as const)('is answered by %j', async (replies, edits, value) => {
    const { ask } = session({ replies, edits })

    expect(await ask(custom)).toMatchObject({ answers: { i_any: value } })
  })

  test('says where the JSON is broken and opens it again', async () => {
    const { ask, terminal } = session({
      replies: [{ pick: 'json' }, { pick: 'Open the editor again' }],
      edits: ['{\n  "a": 1\n  "b": 2\n}', '{"a":1}'],
    })

    expect(await ask(custom)).toMatchObject({ answers: { i_any: { a: 1 } } })
    expect(terminal.lines.join('\n')).toContain('✖ line 3, column 3:')
    expect(terminal.edited[1]?.text).toBe('{\n  "a": 1\n  "b": 2\n}')
  })

  test('goes back from broken JSON', async () => {
    const { ask } = session({
      replies: [{ pick: 'json' }, { pick: 'Back to the question' }, 'esc'],
      edits: ['{'],
    })

    expect(await ask(custom)).toBe('defer')
  })
})

describe('a breakpoint', () => {
  const stop = question({ id: 'i_stop', kind: 'breakpoint', message: 'Before publish' })

  test('goes on when told to', async () => {
    const { ask } = session({ replies: [{ pick: 'Continue' }] })

    expect(await ask(stop)).toMatchObject({ answers: { i_stop: true } })
  })

  test('does not go on by Enter alone', async () => {
    const { ask } = session({ replies: ['enter'] })

    expect(await ask(stop)).toBe('defer')
  })
})

describe('several questions', () => {
  test('B70 are asked one at a time and numbered', async () => {
    const { ask, terminal } = session({
      replies: [
        { pick: 'One after the other' },
        { pick: 'Approve' },
        { pick: 'Reject' },
        { pick: 'b' },
      ],
    })

    const decisions = [await ask(one, two, three), await ask(two, three), await ask(three)]

    expect(decisions).toMatchObject([
      { answers: { i_one: true } },
      { answers: { i_two: false } },
      { answers: { i_three: 'b' } },
    ])
    const heads = terminal.lines.filter((line) => /needed .* of 3$/u.test(line))
    expect(heads.map((line) => line.slice(-6))).toEqual(['1 of 3', '2 of 3', '3 of 3'])
  })

  test('are listed first', async () => {
    const { ask, terminal } = session({ replies: ['esc'] })

    await ask(one, two, three)

    expect(terminal.lines.slice(1, 5)).toEqual([
      '◆ 3 questions are open                                    flows/deploy.ts · 7f3k',
      '  1  approval  node:ask  Go on?',
      '  2  approval  node:ask  And this?',
      '  3  choice    node:ask  Which?',
    ])
  })

  test('can be answered in any order', async () => {
    const { ask } = session({
      replies: [
        { pick: 'Pick one…' },
        { pick: '2' },
        { pick: 'Approve' },
        { pick: 'Pick one…' },
        { pick: 'Back' },
        'esc',
      ],
    })

    expect(await ask(one, two, three)).toMatchObject({ answers: { i_two: true } })
    expect(await ask(one, three)).toBe('defer')
  })

  test('can be approved together after a second look', async () => {
    const { ask, terminal } = session({
      replies: [{ pick: 'Approve the 2 approvals' }, { pick: 'approve' }],
    })

    expect(await ask(one, { ...two, detail: true }, three)).toMatchObject({
      answers: { i_one: true, i_two: { approved: true } },
    })
    expect(terminal.met[1]).toMatchObject({ message: 'Approve all of these?' })
  })

  test('are not approved together by Enter alone', async () => {
    const { ask } = session({
      replies: [{ pick: 'Approve the 2 approvals' }, 'enter', 'esc'],
    })

    expect(await ask(one, two)).toBe('defer')
  })

  test('that are dangerous are never approved together', async () => {
    const { ask, terminal } = session({ replies: ['esc'] })

    await ask({ ...one, danger: true }, two, three)

    expect(terminal.met[0]?.names).not.toContainEqual(expect.stringContaining('approvals'))
  })

  test('whose approval is refused are asked by themselves', async () => {
    const { ask } = session(
      { replies: [{ pick: 'Approve the 2 approvals' }, { pick: 'approve' }, { pick: 'Reject' }] },
      { refused: { true: 'not together' } },
    )

    expect(await ask(one, two)).toMatchObject({ answers: { i_one: false } })
  })

  test('begin to count anew when none of the old ones is left', async () => {
    const { ask, terminal } = session({ replies: [{ pick: 'Approve' }, { pick: 'Approve' }] })

    await ask(one)
    await ask(two)

    expect(terminal.lines.filter((line) => line.endsWith('1 of 1'))).toHaveLength(2)
  })

  test('that come at the same time wait for each other', async () => {
    const { ask } = session({ replies: [{ pick: 'Approve' }, { pick: 'Reject' }] })

    const decisions = await Promise.all([ask(one), ask(two)])

    expect(decisions).toMatchObject([{ answers: { i_one: true } }, { answers: { i_two: false } }])
  })

  test('that were answered here are not asked again', async () => {
    const { ask } = session({ replies: [{ pick: 'Approve' }] })

    await ask(one)

    expect(await ask(one)).toEqual({})
  })
})

describe('leaving', () => {
  test.each([
    ['esc', { kind: 'deferred', via: 'esc' }],
    ['ctrl-d', { kind: 'deferred', via: 'ctrl-d' }],
    ['ctrl-c', { kind: 'interrupted' }],
    ['sigterm', { kind: 'stopped', signal: 'SIGTERM' }],
  ] as const)('by %s is remembered, with the question', async (reply, left) => {
    const { ask, handler } = session({ replies: [reply] })

    expect(await ask(one)).toBe('defer')
    expect(handler.left).toMatchObject({ ...left, interrupt: { id: 'i_one' } })
  })

  test('closes what would be asked next', async () => {
    const { ask, terminal } = session({ replies: ['esc'] })

    await ask(one)

    expect(await ask(two)).toBe('defer')
    expect(terminal.met).toHaveLength(1)
  })

  test('from the reason of a no answers nothing', async () => {
    const { ask } = session({ replies: [{ pick: 'Reject with a reason…' }, 'esc'] })

    expect(await ask(one)).toBe('defer')
  })

  test.each([['esc'], ['enter'], ['ctrl-d']] as const)(
    'by %s is not possible where nothing is kept',
    async (reply) => {
      const { ask, handler, terminal } = session(
        { replies: [reply, { pick: 'Approve' }] },
        { canDefer: false },
      )

      expect(await ask(one)).toMatchObject({ answers: { i_one: true } })
      expect(handler.left).toBeUndefined()
      expect(terminal.lines.join('\n')).toContain('[E1406]')
    },
  )

  test('by Ctrl+C is possible even where nothing is kept', async () => {
    const { ask, handler } = session({ replies: ['ctrl-c'] }, { canDefer: false })

    await ask(one)

    expect(handler.left).toMatchObject({ kind: 'interrupted' })
  })

  test('releases the logs', async () => {
    const { ask, terminal } = session({ replies: ['esc'] })

    await ask(one)

    expect(terminal.logs.held).toBe(false)
  })
})

describe('a form', () => {
  const schema = {
    type: 'object',
    required: ['version', 'percent'],
    properties: {
      version: { type: 'string', pattern: String.raw`^\d+\.\d+\.\d+$` },
      percent: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      env: { enum: ['staging', 'production'] },
      token: { type: 'string', format: 'password' },
    },
  }
  const form = question({
    id: 'i_form',
    kind: 'form',
    message: 'Rollout',
    payload: undefined,
    schema,
  })
  const filled = [{ type: '1.9.1' }, 'enter', { pick: 'staging' }, { type: 's3cret' }] as const

  test('gives the fields with their types', async () => {
    const { ask } = session({ replies: [...filled, { pick: 'Send' }] })

    expect(await ask(form)).toMatchObject({
      answers: { i_form: { version: '1.9.1', percent: 25, env: 'staging', token: 's3cret' } },
    })
  })

  test('shows what is filled in, without secrets', async () => {
    const { ask, terminal } = session({ replies: [...filled, 'esc'] })

    await ask(form)

    expect(terminal.lines).toEqual(
      expect.arrayContaining([
        '  ✔ version  1.9.1',
        '  ✔ percent  25',
        '  ✔ env      staging',
        '  ✔ token    ••••',
      ]),
    )
  })

  test('says what is wrong with a field at once', async () => {
    const { ask, terminal } = session({
      replies: [{ type: '1.9' }, { type: '1.9.0' }, { type: '200' }, 'esc'],
    })

    await ask(form)

    expect(terminal.met[0]?.refused).toEqual([String.raw`must match ^\d+\.\d+\.\d+$`])
    expect(terminal.met[1]?.refused).toEqual(['must be an integer from 1 to 100'])
  })

  test('goes back a field and keeps what was there', async () => {
    const { ask, terminal } = session({
      replies: [
        { type: '1.9.1' },
        'back',
        'enter',
        'enter',
        { pick: 'Leave out' },
        { type: '' },
        { pick: 'Send' },
      ],
    })

    expect(await ask(form)).toMatchObject({
      answers: { i_form: { version: '1.9.1', percent: 25 } },
    })
    expect(terminal.lines.filter((line) => line.includes('✔ version'))).toHaveLength(1)
  })

  test('lets a field be changed before it is sent', async () => {
    const { ask } = session({
      replies: [...filled, { pick: 'Change percent' }, { type: '50' }, { pick: 'Send' }],
    })

    expect(await ask(form)).toMatchObject({ answers: { i_form: { percent: 50 } } })
  })

  test('stays open when the flow refuses the whole', async () => {
    const value = { version: '1.9.1', percent: 25, env: 'staging', token: 's3cret' }
    const { ask, terminal } = session(
      {
        replies: [
          ...filled,
          { pick: 'Send' },
          { pick: 'Change version' },
          { type: '2.0.0' },
          { pick: 'Send' },
        ],
      },
      { refused: { [JSON.stringify(value)]: 'too old' } },
    )

    expect(await ask(form)).toMatchObject({ answers: { i_form: { version: '2.0.0' } } })
    expect(terminal.lines).toContain('✖ too old')
  })

  test('is kept half filled, except its secrets', async () => {
    const saved: unknown[] = []
    const drafts: DraftStore = {
      load: async () => undefined,
      save: async (id, draft) => void saved.push([id, draft]),
    }
    const { ask, handler } = session({ replies: [...filled, 'esc'] }, { drafts })

    await ask(form)

    expect(saved).toEqual([['i_form', { version: '1.9.1', percent: 25, env: 'staging' }]])
    expect(handler.left).toMatchObject({ kind: 'deferred' })
  })

  test('goes on where it was left', async () => {
    const drafts: DraftStore = {
      load: async () => ({ version: '1.9.1', percent: 30, env: 'staging' }),
      save: async () => undefined,
    }
    const { ask, terminal } = session({ replies: [{ type: '' }, { pick: 'Send' }] }, { drafts })

    expect(await ask(form)).toMatchObject({
      answers: { i_form: { version: '1.9.1', percent: 30, env: 'staging' } },
    })
    expect(terminal.met[0]?.message).toBe('token (optional):')
  })

  test('of one value has no fields', async () => {
    const asked = { ...form, schema: { type: 'integer', minimum: 1 } }
    const { ask } = session({ replies: [{ type: '0' }, { type: '7' }] })

    expect(await ask(asked)).toMatchObject({ answers: { i_form: 7 } })
  })

  test('asks for what it can not take apart as JSON', async () => {
    const asked = {
      ...form,
      schema: { type: 'object', required: ['plan'], properties: { plan: { type: 'object' } } },
    }
    const { ask } = session({
      replies: [{ pick: 'Write it in your editor (JSON)' }, { pick: 'Send' }],
      edits: ['{"a":1}'],
    })

    expect(await ask(asked)).toMatchObject({ answers: { i_form: { plan: { a: 1 } } } })
  })
})

describe('a question that is taken away', () => {
  test.each([
    [new Error('answered by ann'), '⏸ Answered by ann.'],
    [new Error('expired\u001b'), '⏱ Expired␛.'],
    [undefined, '⏸ Not open any more.'],
  ])('because of %j says so and answers nothing', async (reason, line) => {
    const terminal = fakeTerminal()
    const handler = createPromptHandler(terminal, { flow: 'deploy' })
    const abort = new AbortController()
    abort.abort(reason)

    const decision = await handler([one], { signal: abort.signal, check: async () => [] })

    expect(decision).toEqual({})
    expect(handler.left).toBeUndefined()
    expect(terminal.lines.at(-1)).toBe(line)
  })

  test('because the run stops leaves the words to whoever stopped it', async () => {
    const terminal = fakeTerminal()
    const handler = createPromptHandler(terminal, { flow: 'deploy' })
    const abort = new AbortController()
    abort.abort(new CancelledError('SIGTERM'))

    await handler([one], { signal: abort.signal, check: async () => [] })

    expect(terminal.lines.join('\n')).not.toContain('Not open any more')
  })
})
