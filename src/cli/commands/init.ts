import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { HexagonError, messageOf } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'

const CONFIG = `import { defineConfig } from 'hexagon/config'

export default defineConfig({
  flowsDir: 'flows',
})
`

const FLOW = `import { END, START, graph, interruptForApproval, step } from 'hexagon'

/** Greets somebody, after a person has agreed. */
export default graph('hello', { state: { name: 'world', greeting: '' } })
  .node('write', async ({ name }) => ({ greeting: await step('greeting', () => \`Hello, \${name}!\`) }))
  .node('review', async ({ greeting }) => {
    const approved = await interruptForApproval(\`Say "\${greeting}"?\`)
    return approved ? {} : { greeting: '' }
  })
  .edge(START, 'write')
  .edge('write', 'review')
  .edge('review', END)
`

interface Written {
  readonly path: string
  readonly state: 'created' | 'changed' | 'kept'
}

/** Sets up hexagon here. Nothing that exists is overwritten. */
export async function execute({ terminal, settings, output }: Invocation): Promise<CommandResult> {
  const root = resolve(settings.cwd ?? '.')
  const files = [
    keepOrWrite(root, 'hexagon.config.ts', CONFIG),
    keepOrWrite(root, 'flows/hello.ts', FLOW),
    ignoreStore(root),
  ]
  if (output.format === 'human') {
    for (const { path, state } of files) terminal.stdout(`${state.padEnd(7)}  ${path}\n`)
    if (!settings.quiet && !settings.inAutomation) terminal.stderr('\nTry: hexagon run hello')
  }
  return {
    exitCode: exitCode.ok,
    document: { files: files.map(({ path, state }) => ({ path, state })) },
  }
}

function keepOrWrite(root: string, path: string, content: string): Written {
  const isKept = path.startsWith('hexagon.config') ? hasConfig(root) : existsSync(join(root, path))
  if (isKept) return { path, state: 'kept' }
  write(root, path, content)
  return { path, state: 'created' }
}

function hasConfig(root: string): boolean {
  return ['ts', 'mts', 'js', 'mjs', 'json'].some((extension) =>
    existsSync(join(root, `hexagon.config.${extension}`)),
  )
}

function ignoreStore(root: string): Written {
  const path = '.gitignore'
  const file = join(root, path)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (before !== undefined && /^\/?\.hexagon\/?$/mu.test(before)) return { path, state: 'kept' }
  const separator = before === undefined || before === '' || before.endsWith('\n') ? '' : '\n'
  write(root, path, `${before ?? ''}${separator}.hexagon/\n`)
  return { path, state: before === undefined ? 'created' : 'changed' }
}

function write(root: string, path: string, content: string): void {
  const file = join(root, path)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  } catch (cause) {
    throw new HexagonError('E1310', `Cannot write ${path}: ${messageOf(cause)}`, {
      hint: 'Check who may write here.',
      cause,
      details: { file },
    })
  }
}
