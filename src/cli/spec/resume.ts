import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'
import {
  answerOptions,
  asOption,
  breakOptions,
  limitOptions,
  questionOptions,
} from './option-groups.ts'

export const resume: CommandSpec = {
  name: 'resume',
  argument: { name: 'thread' },
  summary: 'Answer a waiting thread and continue it.',
  examples: [
    ['hexagon resume 7f3k', 'ask here'],
    ['hexagon resume i_4kq0z81m2x9c --approve', 'in a script: one question by its id'],
    ['hexagon resume 7f3k9q2m4d --choose staging-eu', ''],
    ['hexagon resume 7f3k9q2m4d -d version=1.9.0 -d percent:=25', ''],
    [`jq -n '{ok:true}' | hexagon resume 7f3k9q2m4d --data -`, ''],
    ['hexagon resume 7f3k --digest 5e0c… --reject --reason "not today"', 'only what was reviewed'],
    ['hexagon resume 7f3k --retry', 'run again what failed'],
  ],
  groups: [
    answerOptions,
    {
      heading: 'Safety',
      options: [
        {
          flags: '--digest <digest>',
          kind: 'list',
          text: 'only if the question is still the one reviewed',
        },
        {
          flags: '--if-version <n>',
          kind: 'integer',
          text: 'only if the checkpoint is still the one reviewed',
        },
        { flags: '--flow <file>', kind: 'text', text: 'the flow file moved' },
        { flags: '--allow-changed', kind: 'flag', text: "go on although the flow's graph changed" },
        {
          flags: '--steal-lock',
          kind: 'flag',
          text: 'take the thread from a process of another machine, or from before a restart',
        },
        asOption,
      ],
    },
    {
      heading: 'Run',
      options: [
        { flags: '--no-run', kind: 'flag', text: 'store the answer, do not continue now' },
        { flags: '--retry', kind: 'flag', text: 'run again what failed' },
        ...questionOptions,
        ...limitOptions,
      ],
    },
    {
      heading: 'Breakpoints',
      options: [
        ...breakOptions,
        { flags: '--no-breaks', kind: 'flag', text: 'forget the breakpoints of the thread' },
      ],
    },
  ],
  exits: [
    [exitCode.ok, 'completed'],
    [exitCode.failed, 'failed'],
    [exitCode.badData, 'bad or missing answer'],
    [exitCode.noInput, 'no such thread'],
    [exitCode.busy, 'busy, answered or changed'],
    [exitCode.suspended, 'suspended again'],
  ],
}
