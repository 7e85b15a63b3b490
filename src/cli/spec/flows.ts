import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'

const ok = [exitCode.ok, 'printed'] as const
const broken = [exitCode.config, 'a flow does not load'] as const
const missing = [exitCode.noInput, 'no such flow'] as const

export const flows: CommandSpec = {
  name: 'flows',
  summary: 'List the flows of the flows directory.',
  examples: [
    ['hexagon flows', ''],
    ['hexagon flows --check', '78 when one does not load'],
  ],
  groups: [
    {
      heading: 'Options',
      options: [{ flags: '--check', kind: 'flag', text: 'exit 78 when a flow does not load' }],
    },
  ],
  exits: [ok, broken],
}

export const check: CommandSpec = {
  name: 'check',
  argument: { name: 'flow', many: true },
  summary: 'Check flows, and which waiting threads go on with them, without running anything.',
  examples: [
    ['hexagon check deploy triage', ''],
    ['hexagon check deploy --json', 'in CI, before a release'],
  ],
  groups: [],
  exits: [
    [exitCode.ok, 'all are fine, every thread goes on'],
    missing,
    [exitCode.config, 'a flow does not load, or a thread does not go on with it'],
  ],
}

export const graph: CommandSpec = {
  name: 'graph',
  argument: { name: 'flow|thread' },
  summary: 'Draw the graph of a flow, or of a thread with what is done and what waits.',
  examples: [
    ['hexagon graph deploy', ''],
    ['hexagon graph deploy --format mermaid --md > GRAPH.md', ''],
    ['hexagon graph 7f3k', ''],
  ],
  groups: [
    {
      heading: 'Options',
      options: [
        {
          flags: '--format <format>',
          kind: { oneOf: ['ascii', 'mermaid', 'dot', 'json'] },
          text: 'ascii (default), mermaid, dot or json',
        },
        { flags: '--md', kind: 'flag', text: 'in a Markdown fence' },
      ],
    },
  ],
  exits: [ok, missing, broken],
}

export const init: CommandSpec = {
  name: 'init',
  summary: 'Set up hexagon here: a configuration, a first flow, an ignored store.',
  examples: [['hexagon init', '']],
  groups: [],
  exits: [
    [exitCode.ok, 'written, or everything was there'],
    [exitCode.cannotCreate, 'cannot write'],
  ],
}

export const completion: CommandSpec = {
  name: 'completion',
  argument: { name: 'shell' },
  summary: 'Print a completion script for bash, zsh, fish or powershell.',
  examples: [['source <(hexagon completion bash)', '']],
  groups: [],
  exits: [ok, [exitCode.usage, 'unknown shell']],
}
