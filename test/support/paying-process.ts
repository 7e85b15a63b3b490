// A process that starts a thread and is killed behind an effect: `paying-process.ts <store> <file> <flow>`.

import { Runner } from '../../src/index.ts'
import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { payingFlows } from './paying-flows.ts'

const [, , at = '', file = '', name = ''] = process.argv
const flow = payingFlows(file, true).get(name)
if (flow === undefined) throw new Error(`no flow ${name}`)
const store = at.endsWith('.db') ? sqliteStore(at) : fileStore(at)
await new Runner({ store }).invoke(flow, undefined, { threadId: 't' })
