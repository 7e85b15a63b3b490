import { userInfo } from 'node:os'

import type { AnswerSource } from '../core/interrupt.ts'
import type { Environment } from './terminal/environment.ts'

/** Who answers: the claimed name, and beside it the user the operating system knows. */
export function answererOf(
  claimed: string | undefined,
  env: Environment,
): Pick<AnswerSource, 'by' | 'osUser'> {
  const osUser = systemUser()
  const given = [claimed, env['HEXAGON_USER']].find((name) => name !== undefined && name !== '')
  const by = given ?? gitUser()
  return {
    ...withName('by', by ?? osUser),
    ...withName('osUser', osUser),
  }
}

function withName(
  key: 'by' | 'osUser',
  name: string | undefined,
): Pick<AnswerSource, 'by' | 'osUser'> {
  return name === undefined ? {} : { [key]: name }
}

function systemUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // A user id without an entry in the user database, as containers have.
    return undefined
  }
}

function gitUser(): string | undefined {
  // Loaded only here, because loading it takes a moment.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stdout, status } = spawnSync('git', ['config', '--get', 'user.name'], {
    encoding: 'utf8',
    timeout: 1000,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout.trim() : undefined
}

/** Who starts something: the claimed name, else the operating system's. */
export function starterOf(claimed: string | undefined, env: Environment): string | undefined {
  return [claimed, env['HEXAGON_USER'], systemUser()].find(
    (name) => name !== undefined && name !== '',
  )
}
