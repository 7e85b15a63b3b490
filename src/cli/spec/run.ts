import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'
import {
  answersOption,
  asOption,
  breakOptions,
  limitOptions,
  questionOptions,
  startOptions,
} from './option-groups.ts'

export const run: CommandSpec = {
  name: 'run',
  argument: { name: 'flow' },
  summary: 'Start a flow and follow it until it completes or waits.',
  examples: [
    ['hexagon run deploy', 'flows/deploy.ts'],
    ['hexagon run ./flows/deploy.ts -d version=1.9.0 -d percent:=25', ''],
    ['hexagon run deploy --data @input.json --json', 'one JSON document'],
    [`hexagon run deploy --answers '{"node:review":true}'`, 'answers known beforehand'],
    ['hexagon run deploy --no-input || test $? = 75', 'in CI: 75 is waiting'],
  ],
  groups: [
    startOptions,
    {
      heading: 'Thread',
      options: [
        { flags: '--thread <id>', kind: 'text', text: 'use this id; it must be new' },
        { flags: '--reuse', kind: 'flag', text: 'continue --thread when it waits' },
        { flags: '--ephemeral', kind: 'flag', text: 'keep nothing on disk; nothing can wait' },
        { flags: '--dry-run', kind: 'flag', text: 'load and check, draw the graph, run nothing' },
      ],
    },
    { heading: 'Questions', options: [answersOption, ...questionOptions, asOption] },
    { heading: 'Breakpoints', options: breakOptions },
    { heading: 'Limits', options: limitOptions },
  ],
  exits: [
    [exitCode.ok, 'completed'],
    [exitCode.failed, 'failed'],
    [exitCode.badData, 'bad start value or answer'],
    [exitCode.noInput, 'no such flow'],
    [exitCode.busy, 'thread exists'],
    [exitCode.suspended, 'waiting for a person'],
    [exitCode.config, 'flow does not load'],
    [exitCode.timeout, 'timeout'],
  ],
}
