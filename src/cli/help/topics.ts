import { exitCodeMeanings } from '../exit-code.ts'

/** A text of `hexagon help <name>` that belongs to no command. */
export interface Topic {
  readonly name: string
  readonly summary: string
  text(): string
}

const data = `Values on the command line: --data of run and resume.

  --data '{"a":1}'          JSON if it parses as JSON, else text
  --data-raw 'text'         always text: never JSON, never @ or key=
  --data @file              .json is JSON, .jsonl a list of its lines, anything
                            else text (UTF-8, one final newline removed)
  --data - or @-            standard input: JSON if it parses, else text
  --data @@x                the text @x
  --data key=value          a field with text; repeatable
  --data key:=json          a field with JSON; repeatable
  --data key=@file          a field from a file; key:=@file.json as JSON
  --data a.b[0]=x           a field inside; tags[]=x appends

What the question expects decides how a value is read:

  approval    true/false, yes/no, y/n, approve/reject; --reason goes with it
  choice      the exact text of an option, or #3 for the third
  input       the text as typed; a JSON string loses its quotes
  form        JSON or key= pairs, not both

So --data 'a=b' answers an input with the text "a=b", and a form with {"a":"b"}.
A value has at most 10 MB and 64 levels.

Several questions:

  --interrupt <id|#n|address> --data …     answers one of them
  --answers '{"i_4kq0…":true,"node:router":"eu"}'
                                           answers several, by id, address or key

For run, a list in --answers is taken item by item, one each time the question
comes: {"node:review":[false,true]}. A single value answers once.
`

const environment = `Environment variables. A flag wins over a variable, a variable over the
configuration. Switches are off when unset or one of: 0, false, no, off.

  HEXAGON_CWD             run as if started there                     -C, --cwd
  HEXAGON_OUTPUT          human, json or jsonl                        -o, --output
  HEXAGON_NO_INPUT        never ask                                   --no-input
  HEXAGON_PLAIN           line prompts, no cursor movement            --plain
  HEXAGON_CONFIG          the configuration file                      --config
  HEXAGON_STORE           file:DIR or sqlite:FILE                     --store
  HEXAGON_KEY             keys that threads are encrypted with; the first writes
  HEXAGON_KEY_FILE        the file that has them
  HEXAGON_USER            who answers                                 --as
  HEXAGON_DEBUG           stack traces                                -v -v
  HEXAGON_EDITOR, VISUAL, EDITOR    the editor, in this order
  HEXAGON_PAGER, PAGER    the pager
  HEXAGON_IN_AUTOMATION   leave out what to type next
  HEXAGON_REPLAY          always: enter tasks again at every answer (tests)
  NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM    colour
  CI                      never ask (--interactive asks all the same)
  GITHUB_ACTIONS          write outputs, a summary and annotations
`

const json = `JSON for programs: -o json writes one document, also on failure; -o jsonl one
event a line, the version first and the document last (type "result").

  v          1; grows only when something incompatible changes
  ok         false when there is an error
  command    the command
  status     completed, suspended, failed, cancelled, timeout, interrupted
  exitCode   what the process exits with
  thread     id, flow, version, createdAt, updatedAt, steps
  interrupts open questions: id, key, address, kind, message, payload, options,
             choices, default, schema, secret, answered, createdAt, openedAt,
             expiresAt, digest, changedFrom, threadId, ordinal, danger, multiline,
             metadata
  result     what the flow returned
  error      code, message, hint, details
  resume     the command that goes on

Unknown fields must be ignored. Values that JSON cannot say (dates, maps, NaN, …)
are written as the store writes them. --get thread.id prints one value, raw.
`

const scripting = `Scripts. stdout is the result, everything else is stderr; nothing is asked
without a terminal. 75 means saved and waiting for a person: not a failure.

Start, and keep what waits:

  rc=0; hexagon run deploy --no-input --json > run.json || rc=$?
  test "$rc" = 0 || test "$rc" = 75

Answer exactly what was reviewed:

  jq -r .resume run.json
  hexagon resume i_4kq0z81m2x9c --digest 5e0c… --approve

Approve every waiting approval of one flow:

  hexagon pending --flow deploy --kind approval --json |
    jq -r '.threads[].interrupts[] | "\\(.id) \\(.digest)"' |
    while read -r id digest; do
      hexagon resume "$id" --digest "$digest" --approve </dev/null
    done

Without a terminal a prefix or @latest needs --digest with an answer.
`

/** Every topic. */
export const topics: readonly Topic[] = [
  { name: 'data', summary: 'how values are given', text: () => data },
  { name: 'exit-codes', summary: 'what the exit codes mean', text: exitCodes },
  { name: 'environment', summary: 'environment variables', text: () => environment },
  { name: 'json', summary: 'the output for programs', text: () => json },
  { name: 'scripting', summary: 'recipes for scripts and CI', text: () => scripting },
]

function exitCodes(): string {
  const rows = exitCodeMeanings.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`)
  return `Exit codes.\n\n${rows.join('\n')}\n`
}
