import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'

export const prune: CommandSpec = {
  name: 'prune',
  argument: { name: 'thread', many: true },
  summary: 'Delete threads that ended long ago, and old checkpoints of the others.',
  examples: [
    ['hexagon prune --done 30d', 'completed and cancelled 30 days ago or earlier'],
    ['hexagon prune --keep 50', 'the newest 50 checkpoints of each thread'],
    ['hexagon prune --dry-run', 'by the retention of the configuration; changes nothing'],
    ['hexagon prune 7f3k9q2m4d --keep 1', 'one thread'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        {
          flags: '--done <duration>',
          kind: 'duration',
          text: 'delete what was completed or cancelled longer ago than 12h, 30d',
        },
        { flags: '--keep <n>', kind: 'integer', text: 'keep the newest n checkpoints' },
        { flags: '--dry-run', kind: 'flag', text: 'say what would go, change nothing' },
        { flags: '--yes', kind: 'flag', text: 'do not ask' },
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'pruned, or nothing to do'],
    [exitCode.usage, 'nothing says what may go'],
    [exitCode.noInput, 'no such thread'],
    [exitCode.busy, 'one is being run and was left as it is'],
    [exitCode.damaged, 'one cannot be read and was left as it is'],
  ],
}
