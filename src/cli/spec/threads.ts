import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'
import { asOption, inOption } from './option-groups.ts'

const KINDS = ['approval', 'choice', 'input', 'form', 'breakpoint', 'doubt', 'custom']
const STATUSES = [
  'running',
  'suspended',
  'completed',
  'failed',
  'cancelled',
  'crashed',
  'stopped',
  'in-doubt',
]

const found = [exitCode.ok, 'printed'] as const
const noThread = [exitCode.noInput, 'no such thread'] as const
const damaged = [exitCode.damaged, 'a file of the store is damaged'] as const

const flowOption = {
  flags: '--flow <flow>',
  kind: 'text',
  text: 'only threads of this flow',
} as const
const showSecretsOption = {
  flags: '--show-secrets',
  kind: 'flag',
  text: 'show what the configuration redacts (only at a terminal)',
} as const
const limitOption = { flags: '--limit <n>', kind: 'integer', text: 'at most n threads' } as const

export const pending: CommandSpec = {
  name: 'pending',
  alias: 'ls',
  argument: { name: 'thread' },
  summary: 'List what waits for an answer.',
  examples: [
    ['hexagon pending', ''],
    ['hexagon pending --flow deploy --kind approval', ''],
    [`hexagon pending --json | jq -r '.threads[].interrupts[].id'`, ''],
    ['hexagon pending --exit-code', '75 when something waits'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        flowOption,
        { flags: '--kind <kind>', kind: { oneOf: KINDS }, text: `only ${KINDS.join(', ')}` },
        { flags: '--older-than <duration>', kind: 'duration', text: 'only what waits longer' },
        { flags: '--all', kind: 'flag', text: 'also threads that do not wait' },
        limitOption,
        { flags: '--sort <what>', kind: { oneOf: ['age', 'flow'] }, text: 'age or flow' },
        { flags: '--exit-code', kind: 'flag', text: '75 when something waits, else 0' },
        { flags: '--full', kind: 'flag', text: 'whole messages' },
        showSecretsOption,
      ],
    },
  ],
  exits: [found, noThread, damaged, [exitCode.suspended, 'something waits (--exit-code)']],
}

export const show: CommandSpec = {
  name: 'show',
  argument: { name: 'thread' },
  summary: 'Show everything about a thread: questions, answers, state.',
  examples: [
    ['hexagon show 7f3k', ''],
    ['hexagon show 7f3k --state --json', ''],
    ['hexagon show 7f3k --at 4', 'as it was at version 4'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        { flags: '--state', kind: 'flag', text: 'the whole state' },
        { flags: '--at <version>', kind: 'integer', text: 'as it was at a checkpoint' },
        inOption,
        showSecretsOption,
      ],
    },
  ],
  exits: [found, noThread, damaged],
}

export const threads: CommandSpec = {
  name: 'threads',
  summary: 'List every thread, newest first.',
  examples: [
    ['hexagon threads', ''],
    ['hexagon threads --status failed', 'what to retry'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        {
          flags: '--status <status>',
          kind: { oneOf: STATUSES },
          text: `only ${STATUSES.join(', ')}`,
        },
        flowOption,
        limitOption,
      ],
    },
  ],
  exits: [found, damaged],
}

export const wait: CommandSpec = {
  name: 'wait',
  argument: { name: 'thread' },
  summary: 'Wait until a thread has completed or failed.',
  examples: [
    ['hexagon wait 7f3k --timeout 2h', ''],
    ['hexagon wait 7f3k --for answered', 'until no question is open'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        {
          flags: '--for <what>',
          kind: { oneOf: ['completed', 'answered'] },
          text: 'completed (default) or answered',
        },
        { flags: '--timeout <duration>', kind: 'duration', text: 'exit 124 after that' },
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'it happened'],
    [exitCode.failed, 'the thread failed or was cancelled'],
    noThread,
    [exitCode.timeout, 'timeout'],
  ],
}

export const cancel: CommandSpec = {
  name: 'cancel',
  argument: { name: 'thread', many: true },
  summary: 'Close threads for good: nothing of them runs any more.',
  examples: [['hexagon cancel 7f3k --reason "not needed"', '']],
  groups: [
    {
      heading: 'Options',
      options: [
        { flags: '--reason <text>', kind: 'text', text: 'kept with the thread' },
        { flags: '--yes', kind: 'flag', text: 'do not ask' },
        asOption,
      ],
    },
  ],
  exits: [[exitCode.ok, 'cancelled'], noThread, [exitCode.busy, 'busy or closed']],
}

export const remove: CommandSpec = {
  name: 'delete',
  argument: { name: 'thread', many: true },
  summary: 'Delete threads and all they hold.',
  examples: [['hexagon delete 7f3k --yes', '']],
  groups: [
    {
      heading: 'Options',
      options: [{ flags: '--yes', kind: 'flag', text: 'do not ask' }],
    },
  ],
  exits: [[exitCode.ok, 'deleted'], noThread, [exitCode.busy, 'being run']],
}

export const exportThread: CommandSpec = {
  name: 'export',
  argument: { name: 'thread' },
  summary: 'Write a thread as one portable JSON document; the original is closed.',
  examples: [
    ['hexagon export 7f3k > thread.json', ''],
    ['hexagon export 7f3k --copy', 'leaves the original as it is'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [{ flags: '--copy', kind: 'flag', text: 'leave the original as it is' }],
    },
  ],
  exits: [found, noThread, [exitCode.busy, 'being run']],
}

export const importThread: CommandSpec = {
  name: 'import',
  argument: { name: 'file' },
  summary: 'Take in a thread that export wrote.',
  examples: [
    ['hexagon import thread.json --trust', ''],
    ['hexagon import - --trust < thread.json', ''],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        { flags: '--trust', kind: 'flag', text: 'the file comes from where you think it does' },
        { flags: '--force', kind: 'flag', text: 'replace a thread with the same id' },
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'imported'],
    [exitCode.badData, 'not an exported thread'],
    [exitCode.busy, 'the thread exists'],
  ],
}
