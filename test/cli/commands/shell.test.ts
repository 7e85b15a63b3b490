import { execFileSync } from 'node:child_process'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeAll(() => {
  bench = new CommandBench()
})
afterAll(() => bench.remove())

describe('completion', () => {
  test('bash takes the script and completes commands and options', async () => {
    const { stdout } = await bench.run(['completion', 'bash'])
    const complete = (...words: string[]): string[] =>
      execFileSync(
        '/bin/bash',
        [
          '--norc',
          '-c',
          `${stdout}\nCOMP_WORDS=(hexagon ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _hexagon; printf '%s\\n' "\${COMPREPLY[@]}"`,
        ],
        { encoding: 'utf8' },
      )
        .split('\n')
        .filter((word) => word !== '')
    expect(complete('pen')).toEqual(['pending'])
    expect(complete('run', '--on')).toEqual(['--on-interrupt'])
    expect(complete('help', 'exit')).toEqual(['exit-codes'])
  })

  test.each(['zsh', 'fish', 'powershell'])(
    'has a script for %s that names every command',
    async (shell) => {
      const { code, stdout } = await bench.run(['completion', shell])
      expect(code).toBe(0)
      for (const name of ['run', 'pending', 'resume', 'show']) expect(stdout).toContain(name)
    },
  )

  test('an unknown shell is a usage error', async () => {
    const { code, stderr } = await bench.run(['completion', 'bsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean "bash"?')
  })
})

describe('init', () => {
  test('writes a first project, and overwrites nothing the second time', async () => {
    const first = await bench.run(['init'])
    const second = await bench.run(['init'])
    expect(first.stdout).toBe(
      'created  hexagon.config.ts\ncreated  flows/hello.ts\ncreated  .gitignore\n',
    )
    expect(second.stdout).toBe(
      'kept     hexagon.config.ts\nkept     flows/hello.ts\nkept     .gitignore\n',
    )
  })

  test('what it writes loads and runs', async () => {
    const { code, stdout } = await bench.run(['run', 'hello', '--yes', '-d', 'name=Ann'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ name: 'Ann', greeting: 'Hello, Ann!' })
  })

  test('check and graph know it', async () => {
    const check = await bench.run(['check', 'hello', '--json'])
    const graph = await bench.run(['graph', 'hello'])
    const mermaid = await bench.run(['graph', 'hello', '--format', 'mermaid', '--md'])
    expect(JSON.parse(check.stdout)).toMatchObject({
      flows: [{ name: 'hello', ok: true, nodes: ['write', 'review'] }],
    })
    expect(graph.stdout).toBe('start\n└─ write\n   └─ review\n      └─ end\n')
    expect(mermaid.stdout).toMatch(/^```mermaid\nflowchart TD\n/u)
  })

  test('flows lists it, and a broken one in place', async () => {
    bench.write('flows/broken.ts', 'export default function flow( {')
    const { code, stdout } = await bench.run(['flows', '--check'])
    expect(code).toBe(78)
    expect(stdout).toContain('hello\tflows/hello.ts\twrite, review')
    expect(stdout).toContain('flows/broken.ts')
    expect(stdout).toContain('[E1107]')
  })
})

describe('what the configuration redacts', () => {
  test('is hidden in lists, in the result and in JSON, and shown only at a terminal', async () => {
    const secrets = new CommandBench({
      'package.json': '{"type":"module"}',
      'hexagon.config.json': '{"redact":["**.token"]}',
      'flows/ask.mjs': `
        import { flow, interrupt } from 'hexagon'
        export default flow('ask', async () => {
          await interrupt({ text: 'Go on?', token: 'hunter2' })
          return { token: 'hunter2', ok: true }
        })`,
    })
    try {
      const run = await secrets.run(['run', 'ask', '--json'])
      const { thread } = JSON.parse(run.stdout) as { readonly thread: { readonly id: string } }
      const outputs = [
        run,
        await secrets.run(['pending', '--json']),
        await secrets.run(['show', thread.id, '--state']),
        await secrets.run(['resume', thread.id, '--json']),
        await secrets.run(['resume', thread.id, '--data', 'yes']),
        await secrets.run(['show', thread.id, '--json', '--state']),
      ]
      for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain('hunter2')
      expect(outputs.at(-2)?.stdout).toBe('{"token":"••••","ok":true}\n')
      const revealed = await secrets.run(['show', thread.id, '--show-secrets'], { isTTY: true })
      const piped = await secrets.run(['show', thread.id, '--show-secrets'])
      expect(revealed.stdout).toContain('hunter2')
      expect(piped.code).toBe(2)
    } finally {
      secrets.remove()
    }
  })
})

test('a secret in an answer is hidden in the log and in the audit log, and whole for the flow', async () => {
  const secrets = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{"redact":["**.token"]}',
    'flows/ask.mjs': `
      import { flow, interrupt } from 'hexagon'
      export default flow('ask', async () => (await interrupt('Which token?')).token.length)`,
  })
  try {
    await secrets.run(['run', 'ask', '--thread', 'a'])
    const resumed = await secrets.run(['resume', 'a', '--data', '{"token":"hunter2"}'])
    expect(resumed.stdout).toBe('7\n')
    expect(resumed.stderr).toContain('••••')
    const looks = [resumed, await secrets.run(['audit']), await secrets.run(['history', 'a'])]
    for (const { stdout, stderr } of looks) expect(stdout + stderr).not.toContain('hunter2')
  } finally {
    secrets.remove()
  }
})

test('pending --all lists threads that are over, too', async () => {
  await bench.run(['run', 'hello', '--yes', '--thread', 'over-1'])
  const plain = await bench.run(['pending', '--json'])
  const all = await bench.run(['pending', '--json', '--all'])
  expect(plain.stdout).not.toContain('over-1')
  expect(all.stdout).toContain('over-1')
})
