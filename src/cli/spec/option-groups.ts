import type { OptionGroup, OptionSpec } from './command-spec.ts'

// Every option that more than one command has, written once.

const data: OptionSpec = {
  flags: '-d, --data <value>',
  kind: 'list',
  text: 'JSON, text, key=value, key:=json, @file or - (hexagon help data)',
}
const dataRaw: OptionSpec = {
  flags: '--data-raw <text>',
  kind: 'text',
  text: 'text as it is: never JSON, @ or key=',
}
const answers: OptionSpec = {
  flags: '--answers <json|@file|->',
  kind: 'text',
  text: 'answers by interrupt id, address or key',
}

/** What every command takes. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: '-C, --cwd <dir>', kind: 'text', text: 'run as if started in <dir>' },
  { flags: '-o, --output <format>', kind: 'text', text: 'human, json or jsonl' },
  { flags: '--json', kind: 'flag', text: 'same as -o json' },
  { flags: '--get <path>', kind: 'text', text: 'print one value of the JSON result, raw' },
  { flags: '-q, --quiet', kind: 'flag', text: 'no progress, no hints' },
  { flags: '-v, --verbose', kind: 'count', text: 'more detail; twice: stack traces' },
  { flags: '--no-input', kind: 'flag', text: 'never ask' },
  { flags: '--interactive', kind: 'flag', text: 'ask although CI is set or stdin carries data' },
  { flags: '--plain', kind: 'flag', text: 'line prompts, no cursor movement' },
  {
    flags: '--color <when>',
    kind: { oneOf: ['auto', 'always', 'never'] },
    text: 'auto, always or never',
  },
  { flags: '--no-color', kind: 'flag', text: 'same as --color never' },
  { flags: '--no-pager', kind: 'flag', text: 'do not page long output' },
  { flags: '--no-annotations', kind: 'flag', text: 'write nothing for the CI service' },
  { flags: '--config <file>', kind: 'text', text: 'the configuration file' },
  { flags: '--store <store>', kind: 'text', text: 'where threads are: file:DIR or sqlite:FILE' },
]

/** How the first value of a thread is given. */
export const startOptions: OptionGroup = { heading: 'Start value', options: [data, dataRaw] }

/** How an open question is answered. */
export const answerOptions: OptionGroup = {
  heading: 'Answer',
  options: [
    data,
    dataRaw,
    { flags: '--approve', kind: 'flag', text: 'yes to an approval' },
    { flags: '--reject', kind: 'flag', text: 'no to an approval' },
    { flags: '--choose <option>', kind: 'text', text: 'one option of a choice, or #n' },
    { flags: '--text <text>', kind: 'text', text: 'the text of an input' },
    { flags: '--reason <text>', kind: 'text', text: 'goes with --approve, --reject or a boolean' },
    answers,
    { flags: '--interrupt <id|#n|address>', kind: 'text', text: 'which question --data answers' },
  ],
}

/** What happens to questions that come up while the flow runs. */
export const questionOptions: readonly OptionSpec[] = [
  {
    flags: '--yes',
    kind: 'flag',
    text: 'approve every approval that is not marked danger; recorded',
  },
  { flags: '--use-defaults', kind: 'flag', text: 'take the default where a question has one' },
  {
    flags: '--on-interrupt <what>',
    kind: { oneOf: ['prompt', 'suspend', 'fail'] },
    text: 'prompt, suspend or fail (default: prompt at a terminal, else suspend)',
  },
  { flags: '--prompt-timeout <duration>', kind: 'duration', text: 'put the answer off after that' },
]

/** Where a run stops without being asked by its code. */
export const breakOptions: readonly OptionSpec[] = [
  {
    flags: '--break-before <node>',
    kind: 'list',
    text: 'stop before this node; the thread remembers it',
  },
  {
    flags: '--break-after <node>',
    kind: 'list',
    text: 'stop after this node; the thread remembers it',
  },
]

/** Where a run ends. */
export const limitOptions: readonly OptionSpec[] = [
  { flags: '--timeout <duration>', kind: 'duration', text: 'save and exit 124 after 30s, 15m, 2h' },
  { flags: '--max-steps <n>', kind: 'integer', text: 'supersteps per thread (default 10,000)' },
  { flags: '--keep <n>', kind: 'integer', text: 'keep the newest n checkpoints of the thread' },
  { flags: '--exit-zero-on-suspend', kind: 'flag', text: 'exit 0 instead of 75' },
]

/** {@link answers} alone, for a command that has no other way to answer. */
export const answersOption: OptionSpec = answers

/** Who does it. */
export const asOption: OptionSpec = {
  flags: '--as <name>',
  kind: 'text',
  text: 'who answered (default: HEXAGON_USER, then the OS user)',
}

/** The subgraph that is meant. */
export const inOption = {
  flags: '--in <subgraph>',
  kind: 'text',
  text: 'the state of this subgraph, by its node names: review/draft',
} as const
