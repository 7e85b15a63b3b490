import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'

export const store: CommandSpec = {
  name: 'store',
  argument: { name: 'copy|rekey', many: true },
  summary: 'Copy threads with all their past into another store, or encrypt all with another key.',
  examples: [
    ['hexagon store copy --to sqlite:threads.db', 'all threads of the project'],
    ['hexagon store copy --from sqlite:a.db --to file:b', ''],
    ['hexagon store copy 7f3k9q2m4d --to sqlite:threads.db', 'one thread'],
    ['HEXAGON_KEY="$NEW $OLD" hexagon store rekey', 'then HEXAGON_KEY="$NEW" is enough'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        { flags: '--from <store>', kind: 'text', text: 'file:DIR or sqlite:FILE (default: here)' },
        { flags: '--to <store>', kind: 'text', text: 'file:DIR or sqlite:FILE' },
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'copied, encrypted'],
    [exitCode.noInput, 'no such thread or store'],
    [exitCode.busy, 'one is being run, or exists there'],
    [exitCode.damaged, 'a file of the store is damaged'],
  ],
}
