import type { CommandSpec } from '../spec/command-spec.ts'
import { globalOptions } from '../spec/option-groups.ts'
import { topics } from './topics.ts'

/** What can follow a command. */
export interface CommandWords {
  readonly name: string
  readonly summary: string
  readonly options: readonly string[]
  /** What its argument is, as far as completion can tell. */
  readonly argument: 'flow' | 'thread' | 'file' | 'none'
}

/** The commands with their options, for completion. */
export function completionWords(commands: readonly CommandSpec[]): CommandWords[] {
  return [
    ...commands.map((spec): CommandWords => ({
      name: spec.name,
      summary: spec.summary,
      options: longFlags([...spec.groups.flatMap((group) => group.options), ...globalOptions]),
      argument: argumentOf(spec.argument?.name),
    })),
    {
      name: 'help',
      summary: 'Help on a command or a topic.',
      options: topics.map(({ name }) => name),
      argument: 'none',
    },
  ]
}

function longFlags(options: readonly { readonly flags: string }[]): string[] {
  const flags = options.flatMap(({ flags: text }) => text.match(/--[\w-]+/gu) ?? [])
  return [...new Set([...flags, '--help'])]
}

function argumentOf(name: string | undefined): CommandWords['argument'] {
  if (name === undefined) return 'none'
  if (name.startsWith('flow')) return 'flow'
  if (name === 'thread') return 'thread'
  return name === 'file' ? 'file' : 'none'
}
