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
