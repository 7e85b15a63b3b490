import { describe, expect, test } from 'vitest'

import { LogGate } from '../../../src/cli/terminal/log-gate.ts'
import { createTurn } from '../../../src/cli/terminal/turn.ts'

describe('held logs', () => {
  test('come in order when the last hold is released', () => {
    const gate = new LogGate()
    const written: string[] = []
    const write = (text: string): void => gate.pass(() => written.push(text))

    write('before')
    gate.hold()
    gate.hold()
    write('one')
    gate.release()
    write('two')
    expect(written).toEqual(['before'])
    gate.release()

    expect(written).toEqual(['before', 'one', 'two'])
  })

  test('stay open after a release too many', () => {
    const gate = new LogGate()

    gate.release()
    gate.hold()

    expect(gate.held).toBe(true)
  })
})

describe('turns', () => {
  test('B70 run one after the other, also after a failure', async () => {
    const turn = createTurn()
    const log: string[] = []
    const job =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        log.push(`${name} begins`)
        await Promise.resolve()
        log.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }

    const results = await Promise.allSettled([turn(job('a')), turn(job('b', true)), turn(job('c'))])

    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
