import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'
import { asOption, inOption, limitOptions, startOptions } from './option-groups.ts'

const noThread = [exitCode.noInput, 'no such thread or checkpoint'] as const
const damaged = [exitCode.damaged, 'a file of the store is damaged'] as const
const broken = [exitCode.config, 'the flow does not load, or has changed'] as const

const flowOption = { flags: '--flow <file>', kind: 'text', text: 'the flow file moved' } as const
const atOption = {
  flags: '--at <version>',
  kind: 'integer',
  text: 'the checkpoint with this version (default: the newest)',
} as const

export const history: CommandSpec = {
  name: 'history',
  argument: { name: 'thread' },
  summary: 'List threads that are done or open, newest first; of one thread its checkpoints.',
  examples: [
    ['hexagon history', ''],
    ['hexagon history 7f3k', 'its checkpoints'],
    ['hexagon history 7f3k --diff 4..9', 'what changed between two of them'],
    ['hexagon history 7f3k --follow', 'and those that come, until the thread rests'],
    ['hexagon show 7f3k --at 4', 'one of them'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        { flags: '--limit <n>', kind: 'integer', text: 'at most n lines' },
        { flags: '--before <version>', kind: 'integer', text: 'only checkpoints before this one' },
        { flags: '--diff <a..b>', kind: 'text', text: 'what changed between two checkpoints' },
        {
          flags: '--follow',
          kind: 'flag',
          text: 'oldest first, then what is committed, until the thread comes to rest',
        },
      ],
    },
  ],
  exits: [[exitCode.ok, 'printed'], noThread, damaged],
}

export const fork: CommandSpec = {
  name: 'fork',
  argument: { name: 'thread' },
  summary: 'Copy a thread, as it was at a checkpoint, into a new one; the original stays.',
  examples: [
    ['hexagon fork 7f3k --at 4', ''],
    ['hexagon fork 7f3k --thread second-try', ''],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        atOption,
        { flags: '--thread <id>', kind: 'text', text: 'id of the new thread; it must be new' },
      ],
    },
  ],
  exits: [[exitCode.ok, 'forked'], noThread, [exitCode.busy, 'the new thread exists']],
}

export const update: CommandSpec = {
  name: 'update',
  argument: { name: 'thread' },
  summary: 'Change the state of a resting thread, or where it goes on, without running it.',
  examples: [
    ['hexagon update 7f3k -d note="try again"', ''],
    ['hexagon update 7f3k -d attempts:=0 --goto build', ''],
    ['hexagon update 7f3k --goto end', 'nothing is left to do'],
    ['hexagon update 7f3k --in review -d note=short', 'the state of a subgraph'],
  ],
  groups: [
    { ...startOptions, heading: 'State' },
    {
      heading: 'Options',
      options: [
        {
          flags: '--goto <node>',
          kind: 'list',
          text: 'go on at this node; questions that are left are cancelled; end is the end',
        },
        inOption,
        {
          flags: '--if-version <n>',
          kind: 'integer',
          text: 'only if the checkpoint is still the one reviewed',
        },
        flowOption,
        asOption,
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'updated'],
    [exitCode.failed, 'a key or node does not exist'],
    noThread,
    [exitCode.busy, 'busy, closed or changed'],
    broken,
  ],
}

export const tick: CommandSpec = {
  name: 'tick',
  summary: 'Settle every deadline that has passed, and continue the threads that can go on.',
  examples: [
    ['hexagon tick', 'from cron, every minute'],
    ['hexagon tick --json', ''],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        { flags: '--allow-changed', kind: 'flag', text: "go on although a flow's graph changed" },
        ...limitOptions.filter(({ flags }) => !flags.startsWith('--exit-zero')),
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'nothing was due, or all that was is done or waits again'],
    [exitCode.failed, 'a thread failed'],
    broken,
  ],
}
