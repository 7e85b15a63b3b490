// Copies threads out of a folder, in a process that is killed meanwhile: by itself at one of the points between
// any two effects on the disk, or from outside. It says what it passes and what it has copied, one line each.
//
//   node copy-scenario.mjs <from> <to> <number of the point, 0 for none> <ids…>

import { writeSync } from 'node:fs'

import { FileArchive } from '../../src/stores/file/archive.ts'
import { SqliteArchive } from '../../src/stores/sqlite/archive.ts'

const [from = '', to = '', target = '0', ...ids] = process.argv.slice(2)
let passed = 0

const source = new FileArchive(from)
const copy = to.endsWith('.db')
  ? new SqliteArchive(to)
  : new FileArchive(to, {
      onFaultPoint: (point) => {
        passed++
        if (target === '0') say(point)
        if (String(passed) === target) process.kill(process.pid, 'SIGKILL')
      },
    })
for (const id of ids) {
  const thread = await source.read(id)
  if (thread !== undefined) await copy.write(thread)
  say(`copied ${id}`)
}
await copy.close()

function say(text: string): void {
  writeSync(1, `${text}\n`)
}
