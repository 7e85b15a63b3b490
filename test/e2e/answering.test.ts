import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'

let copy: PackageCopy
let project: Project

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/ask.ts': `
      import { flow, interrupt } from 'hexagon'
      export default flow('ask', async () => {
        const answer = await interrupt({ ask: 'anything' })
        return { is: answer === undefined ? 'undefined' : JSON.stringify(answer), type: typeof answer }
      })`,
    'flows/two.ts': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('two', async () => {
        const first = await interruptForApproval('First?')
        const second = await interruptForApproval('Second?')
        return { first, second }
      })`,
    'flows/age.ts': `
      import { flow, interruptForInput } from 'hexagon'
      const rules = {
        sync: (text) => (Number(text) > 0 ? true : 'age must be more than 0'),
        async: async (text) => (Number(text) > 0 ? true : 'age must be more than 0'),
        throws: (text) => { if (!(Number(text) > 0)) throw new Error('age must be more than 0') },
      }
      export default flow('age', async (input: { rule: keyof typeof rules }) =>
        interruptForInput('Age?', { validate: rules[input.rule] }))`,
    'flows/env.ts': `
      import { flow, interruptForChoice } from 'hexagon'
      export default flow('env', async () => interruptForChoice('Where?', ['eu', 'us', { value: 3, name: 'three' }]))`,
    'flows/why.ts': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('why', async () => interruptForApproval('Deploy?', { detail: true }))`,
    'flows/fan.ts': `
      import { flow, interruptForApproval, interruptForInput } from 'hexagon'
      export default flow('fan', async () => {
        const [a, b] = await Promise.all([
          interruptForApproval('A?', { key: 'a' }),
          interruptForInput('B?', { key: 'b' }),
        ])
        return { a, b }
      })`,
    'flows/danger.ts': `
      import { flow, interruptForApproval } from 'hexagon'
      export default flow('danger', async () => interruptForApproval('Drop it?', { danger: true }))`,
  })
})
afterEach(() => project.remove())

async function start(flow: string, ...args: string[]) {
  const { document, code } = await project.json(['run', flow, ...args])
  expect(code).toBe(75)
  return document
}

describe('B37 an answer that is falsy', () => {
  test.each([
    ['false', 'false', 'boolean'],
    ['0', '0', 'number'],
    ['""', '""', 'string'],
    ['null', 'null', 'object'],
    ['[]', '[]', 'object'],
    ['{}', '{}', 'object'],
    ['"null"', '"null"', 'string'],
  ])('%s reaches the flow as exactly that', async (data, is, type) => {
    const { thread } = await start('ask')

    const { document, code } = await project.json(['resume', thread.id, '--data', data])

    expect(code).toBe(0)
    expect(document.result).toEqual({ is, type })
  })

  test('is not the same as none: without --data nothing is answered', async () => {
    const { thread } = await start('ask')

    const { document, code } = await project.json(['resume', thread.id])

    expect(code).toBe(65)
    expect(document).toMatchObject({ status: 'suspended', error: { code: 'E1403' } })
    expect(document.interrupts).toHaveLength(1)
  })
})

test('B20 a double submit is refused and the next question stays open', async () => {
  const { thread, interrupts } = await start('two')
  const [first] = interrupts
  const answer = ['resume', thread.id, '--interrupt', first?.id ?? '', '--data', 'true']

  const once = await project.json(answer)
  const twice = await project.json(answer)
  const pending = await project.json(['pending'])

  expect(once.code).toBe(75)
  expect(twice.code).toBe(69)
  expect(twice.document.error.message).toContain('already answered')
  expect(pending.document.threads[0]?.interrupts.map(({ message }) => message)).toEqual(['Second?'])
})

test('a known answered id is told as answered even when the thread is over', async () => {
  const { interrupts } = await start('env')
  const id = interrupts[0]?.id ?? ''
  await project.run(['resume', id, '--choose', 'eu'])

  const again = await project.json(['resume', id, '--choose', 'us'])

  expect(again.code).toBe(69)
  expect(again.document.error.code).toBe('E1307')
})

describe('B89 a refused answer', () => {
  test.each(['sync', 'async', 'throws'])(
    'does not poison the thread (%s validator)',
    async (rule) => {
      const { thread } = await start('age', '-d', `rule=${rule}`)

      const refused = await project.json(['resume', thread.id, '--data', '-1'])
      const after = await project.json(['pending'])
      const accepted = await project.json(['resume', thread.id, '--data', '3'])

      expect(refused.code).toBe(65)
      expect(refused.document.error.message).toContain('age must be more than 0')
      expect(after.document.threads).toHaveLength(1)
      expect(accepted.code).toBe(0)
      expect(accepted.document.result).toBe('3')
    },
  )
})

describe('B91 a choice', () => {
  test.each(['"not-offered"', 'EU', 'eu ', 'e', '4', '"3"'])('refuses %s', async (data) => {
    const { thread } = await start('env')

    const { code, document } = await project.json(['resume', thread.id, '--data', data])

    expect(code).toBe(65)
    expect(document.error.code).toBe('E1202')
    expect(document.status).toBe('suspended')
  })

  test.each([
    ['eu', 'eu'],
    ['#2', 'us'],
    ['3', 3],
    ['three', 3],
  ])('takes %s', async (data, result) => {
    const { thread } = await start('env')
    expect((await project.json(['resume', thread.id, '--data', data])).document.result).toBe(result)
  })
})

test('B92 a reason reaches the node in another process', async () => {
  const { thread } = await start('why')

  const { document } = await project.json([
    'resume',
    thread.id,
    '--data',
    '{"approved":false,"reason":"not today"}',
  ])

  expect(document.result).toEqual({ approved: false, reason: 'not today' })
})

test('B92 so does --reason beside --reject', async () => {
  const { thread } = await start('why')
  const { document } = await project.json([
    'resume',
    thread.id,
    '--reject',
    '--reason',
    'not today',
  ])
  expect(document.result).toMatchObject({ approved: false, reason: 'not today' })
})

describe('B95 what nobody reads is refused', () => {
  test('an unknown flag is a usage error', async () => {
    const { thread } = await start('why')
    const { code, stderr } = await project.run(['resume', thread.id, '--aprove'])
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean --approve?')
  })

  test('an unknown field of a decision is named', async () => {
    const { thread } = await start('why')
    const { code, document } = await project.json([
      'resume',
      thread.id,
      '--data',
      '{"approved":true,"by":"me"}',
    ])
    expect(code).toBe(65)
    expect(document.error.code).toBe('E1207')
  })

  test('an answer to a question that is not open is named', async () => {
    const { thread } = await start('fan')
    const { code, document } = await project.json(['resume', thread.id, '--answers', '{"c":true}'])
    expect(code).toBe(65)
    expect(document.error.code).toBe('E1214')
  })
})

describe('several questions', () => {
  test('B26 an answer for the second does not need one for the first', async () => {
    const { thread } = await start('fan')
    project.write('answers.json', '{"b":"text"}')

    const { code, document } = await project.json([
      'resume',
      thread.id,
      '--answers',
      '@answers.json',
    ])

    expect(code).toBe(75)
    expect(document.interrupts.map(({ key }) => key)).toEqual(['a'])
  })

  test('one bare answer is refused with the list', async () => {
    const { thread } = await start('fan')
    const { code, document } = await project.json(['resume', thread.id, '--data', 'true'])
    expect(code).toBe(65)
    expect(document.error.code).toBe('E1215')
  })

  test('--interrupt #n answers one of them', async () => {
    const { thread } = await start('fan')
    const { document } = await project.json(['resume', thread.id, '--interrupt', '#1', '--approve'])
    expect(document.interrupts.map(({ key }) => key)).toEqual(['b'])
  })

  test('B71 answers on standard input go through --answers -, never to prompts', async () => {
    const { thread } = await start('fan')

    const fed = await project.json(['resume', thread.id], { stdin: 'y\ntext\n' })
    const given = await project.json(['resume', thread.id, '--answers', '-'], {
      stdin: '{"a":true,"b":"text"}',
    })

    expect(fed.code).toBe(65)
    expect(given.code).toBe(0)
    expect(given.document.result).toEqual({ a: true, b: 'text' })
  })

  test('run takes answers beforehand, item by item', async () => {
    const { code, document } = await project.json([
      'run',
      'two',
      '--answers',
      '{"node:two":[true,false]}',
    ])
    expect(code).toBe(0)
    expect(document.result).toEqual({ first: true, second: false })
  })

  test('a single value beforehand answers once', async () => {
    const { code, document } = await project.json(['run', 'two', '--answers', '{"node:two":true}'])
    expect(code).toBe(75)
    expect(document.interrupts.map(({ message }) => message)).toEqual(['Second?'])
  })
})

describe('what is marked danger', () => {
  test('is not approved by --yes', async () => {
    const { code, document } = await project.json(['run', 'danger', '--yes'])
    expect(code).toBe(75)
    expect(document.interrupts).toHaveLength(1)
  })

  test('is not answered by --answers', async () => {
    const { interrupts, thread } = await start('danger')
    const answers = JSON.stringify({ [interrupts[0]?.id ?? '']: true })

    const run = await project.json(['run', 'danger', '--answers', '{"node:danger":true}'])
    const resume = await project.json(['resume', thread.id, '--answers', answers])

    expect(run.code).toBe(75)
    expect(resume.code).toBe(65)
    expect(resume.document.error.code).toBe('E1219')
  })

  test('is answered by its printed command', async () => {
    const { resume = '' } = await start('danger')
    const { code } = await project.shell(resume.replace('hexagon', '$HEXAGON')).end
    expect(code).toBe(0)
  })
})

describe('without a terminal', () => {
  test('a prefix with an answer needs the digest', async () => {
    const { thread, interrupts } = await start('env')
    const prefix = thread.id.slice(0, 6)
    const digest = interrupts[0]?.digest ?? ''

    const without = await project.json(['resume', prefix, '--choose', 'eu'])
    const latest = await project.json(['resume', '@latest', '--choose', 'eu'])
    const wrong = await project.json([
      'resume',
      prefix,
      '--choose',
      'eu',
      '--digest',
      'deadbeefdeadbeef',
    ])
    const right = await project.json(['resume', prefix, '--choose', 'eu', '--digest', digest])

    expect([without.code, latest.code]).toEqual([65, 65])
    expect(without.document.error.code).toBe('E1220')
    expect(wrong.code).toBe(69)
    expect(wrong.document.error.code).toBe('E1319')
    expect(right.code).toBe(0)
  })

  test('--if-version refuses a thread that has moved on', async () => {
    const { thread } = await start('two')
    await project.run(['resume', thread.id, '--approve'])

    const { code, document } = await project.json([
      'resume',
      thread.id,
      '--approve',
      '--if-version',
      String(thread.version),
    ])

    expect(code).toBe(69)
    expect(document.error.code).toBe('E1307')
  })

  test('--no-run stores the answer and resume goes on with it', async () => {
    const { interrupts, thread } = await start('env')

    const stored = await project.json([
      'resume',
      interrupts[0]?.id ?? '',
      '--choose',
      'us',
      '--no-run',
    ])
    const after = await project.json(['resume', thread.id])

    expect(stored.code).toBe(0)
    expect(after.code).toBe(0)
    expect(after.document.result).toBe('us')
  })

  test('--yes and --as are recorded', async () => {
    const { document } = await project.json(['run', 'two', '--yes', '--as', 'ann'])
    const shown = await project.json(['show', document.thread.id])

    expect(document.result).toEqual({ first: true, second: true })
    expect(shown.document.thread).toMatchObject({
      answered: [
        { source: { via: '--yes', unseen: true, by: 'ann' } },
        { source: { via: '--yes' } },
      ],
    })
  })
})

test('O08 __proto__ in JSON is data, not a prototype', async () => {
  project.write(
    'flows/proto.ts',
    `import { flow, interrupt } from 'hexagon'
     export default flow('proto', async () => {
       const value = await interrupt('?')
       return { isAdmin: value.isAdmin === undefined ? 'undefined' : value.isAdmin, own: Object.keys(value) }
     })`,
  )
  const { thread } = await start('proto')

  const { document } = await project.json([
    'resume',
    thread.id,
    '--data',
    '{"__proto__":{"isAdmin":true}}',
  ])
  const pair = await start('proto')
  const refused = await project.json([
    'resume',
    pair.thread.id,
    '--data',
    '__proto__.isAdmin:=true',
  ])

  expect(document.result).toEqual({ isAdmin: 'undefined', own: ['__proto__'] })
  expect(refused.code).toBe(65)
  expect(refused.document.error.code).toBe('E1209')
})
