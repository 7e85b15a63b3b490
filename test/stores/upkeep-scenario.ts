// Prunes a thread, or gives all threads another key, in a process that ends itself at one of the store's
// fault points.
//
//   node upkeep-scenario.mjs <folder> <prune:number kept | rekey> <number of the fault point, 0 for none>

import { writeSync } from 'node:fs'

import { rekeyFolder } from '../../src/stores/file/rekeying.ts'
import { fileStore } from '../../src/stores/index.ts'
import { KEY, OTHER_KEY } from './keys.ts'

const [folder = '', act = '', target = '0'] = process.argv.slice(2)
let passed = 0

function onFaultPoint(point: string): void {
  passed++
  if (target === '0') writeSync(1, `${point}\n`)
  if (String(passed) === target) process.kill(process.pid, 'SIGKILL')
}

const [kind, keep] = act.split(':')
if (kind === 'rekey') await rekeyFolder(folder, { keys: [OTHER_KEY, KEY], onFaultPoint })
if (kind === 'prune') await fileStore(folder, { onFaultPoint }).prune('t', Number(keep))
