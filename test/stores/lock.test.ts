import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Disk } from '../../src/stores/file/disk.ts'
import { newOwner, type LockOwner } from '../../src/stores/file/lock-owner.ts'
import { Locks, type LockRequest } from '../../src/stores/file/lock.ts'
import { processIdentity } from '../../src/system/process-identity.ts'
import { tempFolder } from './temp-folder.ts'

function setUp(): { locks: Locks; request: LockRequest; folder: string } {
  const folder = tempFolder()
  mkdirSync(join(folder, 'tmp'))
  const path = join(folder, 't.lock')
  const request = { path, threadId: 't', owner: 'me', since: '2026-01-01', steal: false }
  return { locks: new Locks(new Disk(join(folder, 'tmp'))), request, folder }
}

/** The identity of a process that has ended. */
async function deadOwner(): Promise<LockOwner> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  const { pid } = child
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { ...newOwner('gone', '2025-12-31'), pid: pid ?? 0, start }
}

test('a lock is whole, names its owner, and is given up once', () => {
  const { locks, request, folder } = setUp()

  const lock = locks.take(request)

  const owner = JSON.parse(readFileSync(request.path, 'utf8'))
  expect(owner).toMatchObject({ ...processIdentity(), owner: 'me', since: '2026-01-01' })
  expect(lock.isHeld()).toBe(true)
  expect(() => locks.take(request)).toThrow(
    expect.objectContaining({
      code: 'E1306',
      holder: expect.objectContaining({ pid: process.pid }),
    }),
  )
  lock.release()
  expect(lock.isHeld()).toBe(false)
  expect(readdirSync(folder)).toEqual(['tmp'])
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
})

test('the lock of a process that is gone is replaced, and its former owner sees it', async () => {
  const { locks, request, folder } = setUp()
  writeFileSync(request.path, JSON.stringify(await deadOwner()))

  const lock = locks.take(request)

  expect(lock.isHeld()).toBe(true)
  expect(readdirSync(folder).toSorted()).toEqual(['t.lock', 'tmp'])
  writeFileSync(`${request.path}.other`, '')
  expect(lock.isHeld()).toBe(true)
})

test('a pid that belongs to another process now does not keep a lock alive', () => {
  const { locks, request } = setUp()
  const former = { ...newOwner('former', '2025-12-31'), pid: process.ppid, start: '1' }
  writeFileSync(request.path, JSON.stringify(former))

  expect(locks.take(request).isHeld()).toBe(processIdentity().start !== '')
})

test('a lock of another host, boot or container is never taken, unless a person says so', () => {
  const { locks, request } = setUp()
  for (const other of [{ host: 'elsewhere' }, { boot: 'before' }, { pidNamespace: 'pid:[1]' }]) {
    const foreign = { ...newOwner('foreign', '2025-12-31'), pid: 999_999_999, ...other }
    writeFileSync(request.path, JSON.stringify(foreign))

    expect(() => locks.take(request)).toThrow(
      expect.objectContaining({
        code: 'E1306',
        holder: expect.objectContaining({ since: '2025-12-31' }),
      }),
    )
    locks.take({ ...request, steal: true }).release()
  }
  const own = locks.take(request)
  expect(() => locks.take({ ...request, steal: true })).toThrow(
    expect.objectContaining({ code: 'E1306' }),
  )
  own.release()
})

test('a lock that says nothing counts as foreign', () => {
  const { locks, request } = setUp()
  for (const text of ['', '\0\0\0\0', '{"pid":"x"}', 'nonsense']) {
    writeFileSync(request.path, text)
    expect(() => locks.take(request)).toThrow(expect.objectContaining({ code: 'E1306' }))
    locks.take({ ...request, steal: true }).release()
  }
})

test('the right to replace a dead lock passes on when its owner died too', async () => {
  const { locks, request, folder } = setUp()
  const [dead, breaker, breaker2] = [await deadOwner(), await deadOwner(), await deadOwner()]
  writeFileSync(request.path, JSON.stringify(dead))
  writeFileSync(`${request.path}.${dead.nonce}`, JSON.stringify(breaker))
  writeFileSync(`${request.path}.${breaker.nonce}`, JSON.stringify(breaker2))

  expect(locks.take(request).isHeld()).toBe(true)

  expect(readdirSync(folder).toSorted()).toEqual(['t.lock', 'tmp'])
})

test('while somebody alive replaces a dead lock, others keep away', async () => {
  const { locks, request } = setUp()
  const dead = await deadOwner()
  writeFileSync(request.path, JSON.stringify(dead))
  writeFileSync(`${request.path}.${dead.nonce}`, JSON.stringify(newOwner('alive', '2026-01-01')))

  expect(() => locks.take(request)).toThrow(expect.objectContaining({ code: 'E1306' }))

  expect(JSON.parse(readFileSync(request.path, 'utf8')).nonce).toBe(dead.nonce)
})

test('a mutex is waited for', async () => {
  const { locks, request } = setUp()
  const order: string[] = []
  const first = await locks.takeMutex(request.path, 't', 'now')
  const second = locks.takeMutex(request.path, 't', 'now')
  order.push('first')
  first.release()
  const lock = await second
  order.push('second')
  lock.release()

  expect(order).toEqual(['first', 'second'])
})

test('a mutex can still be taken after somebody cleaned the temporary files away', async () => {
  const { locks, request, folder } = setUp()
  const first = await locks.takeMutex(request.path, 't', 'now')
  first.release()
  rmSync(join(folder, 'tmp'), { recursive: true })
  mkdirSync(join(folder, 'tmp'))

  const again = await locks.takeMutex(request.path, 't', 'now')

  expect(again.isHeld()).toBe(true)
  again.release()
})
