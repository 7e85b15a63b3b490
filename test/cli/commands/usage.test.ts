import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeAll(() => {
  bench = new CommandBench({
    'hexagon.config.json': '{}',
    'flows/deploy.ts': 'export default async () => 1',
    'flows/triage.ts': 'export default async () => 1',
    'notes.txt': 'not a flow',
  })
})
afterAll(() => bench.remove())

describe('a usage error exits 2 and says what to type', () => {
  test.each([
    ['E1001', ['pendin'], 'Unknown command "pendin"', 'Did you mean "pending"?'],
    ['E1001', ['flows/deploy.ts'], 'Unknown command', 'hexagon run flows/deploy.ts'],
    ['E1001', ['help', 'exit-code'], 'no help on "exit-code"', 'Did you mean "exit-codes"?'],
    ['E1002', ['run', 'deploy', '--jsn'], 'Unknown option --jsn for run', 'Did you mean --json?'],
    ['E1002', ['run', 'deploy', '--zzz'], 'Unknown option --zzz', 'hexagon run --help'],
    ['E1002', ['--zzz'], 'Unknown option --zzz for hexagon', 'hexagon --help'],
    ['E1003', ['run'], 'Which flow? Usage: hexagon run <flow>', 'Flows here: deploy, triage'],
    ['E1004', ['show'], 'Which thread?', 'hexagon pending'],
    ['E1005', ['resume', 'a', 'b'], 'resume takes one thread, got 2', 'hexagon resume --help'],
    [
      'E1006',
      ['resume', 'a', '--approve', '--reject'],
      '--approve and --reject exclude',
      'Leave one',
    ],
    ['E1006', ['resume', 'a', '--text', 'x', '-d', 'y'], '--text and --data exclude', 'Leave one'],
    [
      'E1006',
      ['run', 'deploy', '-d', 'x', '--data-raw', 'y'],
      '--data and --data-raw',
      'Leave one',
    ],
    [
      'E1006',
      ['run', 'a', '--thread', 'a', '--thread', 'b'],
      '--thread is given twice',
      'Leave one',
    ],
    ['E1007', ['run', 'deploy', '--data'], '--data needs a value: JSON, text', 'hexagon help data'],
    ['E1007', ['run', 'deploy', '--thread'], '--thread needs a value', '--thread <id>'],
    ['E1008', ['pending', '-o', 'yaml'], 'Unknown output format "yaml"', 'human, json, jsonl'],
    ['E1009', ['run', 'deploy', '--timeout', '5'], '"5" has no unit', 'Use 5s, 5m or 5h'],
    ['E1009', ['run', 'deploy', '--timeout', 'soon'], '"soon" is not a duration', '30s'],
    ['E1010', ['run', 'deploy', '--on-interrupt', 'ask'], 'one of prompt, suspend, fail', 'prompt'],
    [
      'E1010',
      ['pending', '--kind', 'aproval'],
      '--kind must be one of',
      'Did you mean "approval"?',
    ],
    [
      'E1011',
      ['pending', '--interactive', '--no-input'],
      '--interactive and --no-input',
      'Leave one',
    ],
    [
      'E1012',
      ['run', 'deploy', '--thread', '../x'],
      '"../x" cannot name a thread',
      'letters, digits',
    ],
    ['E1013', ['pending', '--get', 'a..b'], 'Bad path "a..b"', 'result.items[0].name'],
    ['E1015', ['run', 'deploy', '--max-steps', 'ten'], 'needs a whole number, got "ten"', '100'],
    ['E1106', ['run', '-'], '"-" is not a flow file', '.ts, .mts, .cts, .js, .mjs or .cjs'],
    ['E1106', ['run', 'notes.txt'], 'notes.txt is not a flow file', '.ts, .mts'],
  ])('%s: %j', async (code, words, message, hint) => {
    const { code: exit, stderr, stdout } = await bench.run(words)

    const text = stderr.replaceAll(/\s+/gu, ' ')
    expect(text).toContain(message)
    expect(text).toContain(hint)
    expect(text).toContain(`[${code}]`)
    expect(stdout).toBe('')
    expect(exit).toBe(2)
  })
})

test('a usage error in JSON is one document, and the same text on stderr', async () => {
  const { stdout, stderr, code } = await bench.run(['resume', 'a', 'b', '--json'])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({
    v: 1,
    ok: false,
    command: 'resume',
    exitCode: 2,
    error: { code: 'E1005' },
  })
  expect(stderr).toContain('[E1005]')
})

test('--json and another format exclude each other', async () => {
  const { code, stderr } = await bench.run(['pending', '--json', '-o', 'jsonl'])
  expect(code).toBe(2)
  expect(stderr).toContain('--json and --output jsonl exclude each other')
})

test('--quiet keeps the text of an error off stderr only in JSON', async () => {
  expect((await bench.run(['show', 'a', 'b', '-q'])).stderr).toContain('[E1005]')
})

test('HEXAGON_OUTPUT=json is the same as --json, and a flag wins over it', async () => {
  const env = { HEXAGON_OUTPUT: 'json' }
  expect(JSON.parse((await bench.run(['pending'], { env })).stdout)).toMatchObject({ ok: true })
  expect((await bench.run(['pending', '-o', 'human'], { env })).stdout).toBe('')
})

describe('flow and thread errors', () => {
  test.each([
    ['E1101', 66, ['run', 'deplyo']],
    ['E1102', 66, ['-C', '/tmp', 'run', 'deploy']],
    ['E1316', 66, ['show', '7f3k']],
    ['E1316', 66, ['resume', '7f3k', '--approve']],
    ['E1204', 66, ['run', 'deploy', '--data', '@nope.json']],
    ['E1205', 65, ['run', 'deploy', '--data', '-']],
    ['E1206', 65, ['run', 'deploy', '--data', '{}', '--data', 'a=1']],
    ['E1209', 65, ['run', 'deploy', '--data', '__proto__.x=1']],
    ['E1211', 65, ['run', 'deploy', '--data', 'a:=nope']],
    ['E1218', 65, ['resume', 'x', '--reason', 'why']],
    ['E1208', 65, ['run', 'deploy', '--answers', '[]']],
    ['E1014', 2, ['run', 'deploy', '--on-interrupt', 'prompt']],
    ['E1116', 78, ['pending', '--config', 'nope.json']],
  ])('%s exits %i: %j', async (error, exit, words) => {
    const { code, stderr } = await bench.run(words)
    expect(stderr).toContain(`[${error}]`)
    expect(code).toBe(exit)
  })

  test('E1216: nothing on standard input', async () => {
    const { code, stderr } = await bench.run(['run', 'deploy', '--data', '-'], { stdin: '' })
    expect(stderr).toContain('[E1216]')
    expect(code).toBe(65)
  })
})

describe('help', () => {
  test('has examples before options, on stdout, with exit 0', async () => {
    const { code, stdout, stderr } = await bench.run(['resume', '--help'])
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(stdout.indexOf('Examples:')).toBeLessThan(stdout.indexOf('Answer:'))
    expect(stdout).toContain('Exit codes: 0 completed')
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  test.each(['run', 'pending', 'ls', 'data', 'exit-codes', 'environment', 'json', 'scripting'])(
    'on %s',
    async (topic) => {
      const { code, stdout } = await bench.run(['help', topic])
      expect(code).toBe(0)
      expect(stdout.length).toBeGreaterThan(200)
    },
  )

  test('of everything names every command', async () => {
    const { stdout } = await bench.run(['--help'])
    for (const name of [
      'run',
      'pending, ls',
      'resume',
      'show',
      'threads',
      'cancel',
      'delete',
      'graph',
    ]) {
      expect(stdout).toContain(`  ${name} `)
    }
  })
})

test('hexagon alone tells what it is for and exits 0', async () => {
  const { code, stdout } = await bench.run([])
  expect(code).toBe(0)
  expect(stdout).toContain('run and resume agent graphs with a human in the loop')
})

test('--version prints the version', async () => {
  expect((await bench.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/u)
})

test('an option before the command counts, and a value that looks like a flag is a value', async () => {
  const { stdout } = await bench.run(['--json', 'pending'])
  expect(JSON.parse(stdout)).toMatchObject({ command: 'pending' })
})
