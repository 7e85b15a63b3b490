import type { CommandWords } from './completion-words.ts'

/** Shells there is a script for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

const THREADS = `hexagon pending 2>/dev/null | cut -f1`

/** The completion script of a shell; undefined for one there is none for. */
export function completionScript(
  shell: string,
  words: readonly CommandWords[],
): string | undefined {
  switch (shell) {
    case 'bash':
      return bash(words)
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
    case 'fish':
      return fish(words)
    case 'powershell':
      return powershell(words)
    default:
      return undefined
  }
}

function bash(words: readonly CommandWords[]): string {
  const cases = words.map(({ name, options, argument }) => {
    const more = argument === 'thread' ? ` $(${THREADS})` : ''
    const files = argument === 'flow' || argument === 'file' ? ' files=1;' : ''
    return `    ${name}) words="${options.join(' ')}${more}";${files} ;;`
  })
  return `_hexagon() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words files=
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="${words.map(({ name }) => name).join(' ')}" ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then words="${words.map(({ name }) => name).join(' ')}"; files=; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _hexagon hexagon
`
}

function fish(words: readonly CommandWords[]): string {
  const names = words.map(
    ({ name, summary }) =>
      `complete -c hexagon -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", String.raw`\'`)}'`,
  )
  const options = words.flatMap(({ name, options: flags, argument }) => [
    ...flags
      .filter((flag) => flag.startsWith('--'))
      .map(
        (flag) =>
          `complete -c hexagon -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`,
      ),
    ...(argument === 'thread'
      ? [`complete -c hexagon -n '__fish_seen_subcommand_from ${name}' -f -a '(${THREADS})'`]
      : []),
  ])
  return `${[...names, ...options].join('\n')}\n`
}

function powershell(words: readonly CommandWords[]): string {
  const entries = words.map(
    ({ name, options }) =>
      `    '${name}' = @(${options.map((option) => `'${option}'`).join(', ')})`,
  )
  return `Register-ArgumentCompleter -Native -CommandName hexagon -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $options = @{
${entries.join('\n')}
  }
  $words = $commandAst.CommandElements | ForEach-Object { $_.ToString() }
  $candidates = if ($words.Count -gt 1 -and $options.ContainsKey($words[1])) { $options[$words[1]] } else { $options.Keys }
  $candidates | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}
