import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { checkConfig } from '../../../src/cli/config/config-check.ts'
import { readConfig } from '../../../src/cli/config/config-file.ts'
import { defineConfig } from '../../../src/config.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hexagon-config-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(name: string, content: string): void {
  writeFileSync(join(root, name), content)
}

describe('a configuration is read from', () => {
  test('hexagon.config.json', async () => {
    write('hexagon.config.json', '\ufeff{"flowsDir":"workflows"}')
    expect(await readConfig({ root, cwd: root })).toEqual({ flowsDir: 'workflows' })
  })

  test('"hexagon" in package.json', async () => {
    write('package.json', '{"hexagon":{"suspendExitCode":0}}')
    expect(await readConfig({ root, cwd: root })).toEqual({ suspendExitCode: 0 })
  })

  test('a file with code only where code may be loaded', async () => {
    write('hexagon.config.ts', 'export default {}')
    const loaded = defineConfig({ onFlowChange: 'allow' })
    expect(await readConfig({ root, cwd: root })).toEqual({})
    expect(await readConfig({ root, cwd: root }, async () => loaded)).toEqual(loaded)
  })

  test('the chosen file', async () => {
    write('other.json', '{"ci":false}')
    expect(await readConfig({ root, cwd: root, chosen: 'other.json' })).toEqual({ ci: false })
  })

  test('nothing where there is none', async () => {
    write('package.json', 'not JSON')
    expect(await readConfig({ root, cwd: root })).toEqual({})
  })
})

test.each([
  [{ prompt: { timeout: 15 } }, 'c.ts: prompt.timeout must be a duration like 15m, got 15'],
  [{ promt: {} }, 'c.ts: "promt" is not a setting'],
  [
    { prompt: { approvalDefault: 'approve' } },
    'prompt.approvalDefault must be one of defer, reject',
  ],
  [{ prompt: { maxChoices: 0 } }, 'prompt.maxChoices must be a whole number from 1'],
  [{ redact: 'token' }, 'redact must be a list of texts'],
  [{ suspendExitCode: 1 }, 'suspendExitCode must be one of 0, 75'],
  [{ ci: 'no' }, 'ci must be true or false'],
  [[], 'c.ts: it must be an object'],
  [null, 'c.ts: it must be an object'],
])('E1116: refuses %j', (value, message) => {
  expect(() => checkConfig(value, 'c.ts')).toThrow(message)
})

test('E1116: says where the JSON ends', async () => {
  write('hexagon.config.json', '{\n  "flowsDir" "x"\n}')
  await expect(readConfig({ root, cwd: root })).rejects.toMatchObject({
    code: 'E1116',
    message: "hexagon.config.json is not JSON: line 2, column 14: Expected ':'",
  })
})
