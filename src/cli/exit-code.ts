import { isHexagonError } from '../core/errors.ts'

/** What the process tells the shell. 3 to 14 are Node's own, above 125 only signals. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  badData: 65,
  noInput: 66,
  busy: 69,
  internal: 70,
  cannotCreate: 73,
  damaged: 74,
  suspended: 75,
  config: 78,
  timeout: 124,
  hangUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

/** One of {@link exitCode}. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** The code of every error that is not its range's usual one. */
const OF_ERROR: Readonly<Record<string, ExitCode>> = {
  E1019: exitCode.noInput,
  E1101: exitCode.noInput,
  E1102: exitCode.noInput,
  E1103: exitCode.usage,
  E1104: exitCode.noInput,
  E1105: exitCode.noInput,
  E1106: exitCode.usage,
  E1114: exitCode.internal,
  E1115: exitCode.internal,
  E1204: exitCode.noInput,
  E1301: exitCode.noInput,
  E1302: exitCode.noInput,
  E1303: exitCode.busy,
  E1304: exitCode.config,
  E1305: exitCode.config,
  E1306: exitCode.busy,
  E1307: exitCode.busy,
  E1308: exitCode.damaged,
  E1309: exitCode.damaged,
  E1310: exitCode.cannotCreate,
  E1311: exitCode.cannotCreate,
  E1312: exitCode.failed,
  E1313: exitCode.failed,
  E1314: exitCode.busy,
  E1315: exitCode.noInput,
  E1316: exitCode.noInput,
  E1317: exitCode.cannotCreate,
  E1319: exitCode.busy,
  E1320: exitCode.noInput,
  E1321: exitCode.config,
  E1322: exitCode.config,
  E1323: exitCode.config,
  E1324: exitCode.damaged,
  E1325: exitCode.config,
  E1403: exitCode.badData,
  E1405: exitCode.usage,
  E1406: exitCode.badData,
  E1407: exitCode.timeout,
  E1410: exitCode.badData,
  E1411: exitCode.badData,
  E1499: exitCode.internal,
}

/** The usual code of a range: the first three characters of an error's code. */
const OF_RANGE: Readonly<Record<string, ExitCode>> = {
  E10: exitCode.usage,
  E11: exitCode.config,
  E12: exitCode.badData,
  E13: exitCode.busy,
  E14: exitCode.failed,
  E21: exitCode.failed,
}

/** The code of an error; anything that is not a HexagonError is a bug of ours. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!isHexagonError(error)) return exitCode.internal
  return OF_ERROR[error.code] ?? OF_RANGE[error.code.slice(0, 3)] ?? exitCode.failed
}

/** One line for each code, for `hexagon help exit-codes`. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.ok, 'the flow completed; the list was printed; cancelled as asked'],
  [exitCode.failed, 'the flow ended with an error'],
  [exitCode.usage, 'unknown command or option, missing argument, options that exclude each other'],
  [exitCode.badData, 'the answer or start value does not fit the question, or is missing'],
  [
    exitCode.noInput,
    'flow, thread, answer file, config or what --get names was not found or cannot be read',
  ],
  [exitCode.busy, 'run by another process, already answered, or changed since it was reviewed'],
  [exitCode.internal, 'a fault of hexagon, or the process ended before the run did'],
  [exitCode.cannotCreate, 'the store cannot be created or written'],
  [exitCode.damaged, 'a file of the store cannot be read'],
  [exitCode.suspended, 'saved and waiting for a person'],
  [exitCode.config, 'the flow does not load or has changed, or the config is wrong'],
  [exitCode.timeout, '--timeout was reached; saved'],
  [exitCode.hangUp, 'SIGHUP; saved'],
  [exitCode.interrupted, 'Ctrl+C (SIGINT); saved'],
  [exitCode.terminated, 'SIGTERM; saved'],
]
