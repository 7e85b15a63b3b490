import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'

export const doctor: CommandSpec = {
  name: 'doctor',
  summary: 'Say what is wrong here: Node.js, library, store, terminal.',
  examples: [
    ['hexagon doctor', ''],
    ['hexagon doctor --fix', 'keeps a copy of what it changes in .hexagon/damaged'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        {
          flags: '--fix',
          kind: 'flag',
          text: 'restore what is damaged, remove what is left over',
        },
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'all is well'],
    [exitCode.failed, 'something is wrong'],
  ],
}

export const audit: CommandSpec = {
  name: 'audit',
  argument: { name: 'thread|verify' },
  summary: 'List who answered what, or verify that nothing of it was changed.',
  examples: [
    ['hexagon audit 7f3k', ''],
    ['hexagon audit verify', '1 when a line was changed, removed or put in'],
  ],
  groups: [],
  exits: [
    [exitCode.ok, 'printed; every line follows the one before'],
    [exitCode.failed, 'a line does not'],
  ],
}
