import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test, vi } from 'vitest'

import {
  livenessOf,
  processIdentity,
  type ProcessIdentity,
} from '../../src/system/process-identity.ts'

const own = processIdentity()

/** The identity of another process on this machine. */
function identityOf(pid: number | undefined): ProcessIdentity {
  return { ...own, pid: pid ?? 0, start: '' }
}

test('this process is alive, and always the same', () => {
  expect(own.pid).toBe(process.pid)
  expect(processIdentity()).toBe(own)
  expect(livenessOf(own)).toBe('alive')
})

test('a process is alive until it ends, and then gone', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  expect(livenessOf(identityOf(child.pid))).toBe('alive')

  child.kill('SIGKILL')
  await once(child, 'exit')

  expect(livenessOf(identityOf(child.pid))).toBe('gone')
})

test('a process that has ended and is not looked after yet is gone', async () => {
  // The shell becomes `sleep`, which never looks after the child it was given.
  const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 60'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [output] = await once(parent.stdout, 'data')
  const child = Number(String(output))

  await vi.waitFor(() => expect(livenessOf(identityOf(child))).toBe('gone'))

  expect(process.kill(child, 0)).toBe(true)
})

test('the same number with another start time is another process', () => {
  expect(livenessOf({ ...own, start: '1' })).toBe(own.start === '' ? 'alive' : 'gone')
  expect(livenessOf({ ...identityOf(process.ppid), start: '1' })).toBe(
    own.start === '' ? 'alive' : 'gone',
  )
})

test('whatever names another host, boot or container is foreign', () => {
  for (const other of [{ host: 'x' }, { boot: 'x' }, { pidNamespace: 'x' }]) {
    expect(livenessOf({ ...own, ...other })).toBe('foreign')
    expect(livenessOf({ ...own, ...other, pid: 999_999_999 })).toBe('foreign')
  }
})
