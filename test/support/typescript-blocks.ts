// Compiles code blocks of documents where they stand, without writing them to disk.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import ts from 'typescript'

/** A block as a file: its path decides what its relative imports mean. */
export interface BlockFile {
  readonly path: string
  readonly text: string
}

/** What the compiler says about the blocks, one line each. */
export function compile(root: string, blocks: readonly BlockFile[]): string[] {
  const files = new Map(blocks.map(({ path, text }) => [path, `${text}\nexport {}\n`]))
  const options = optionsOf(root)
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.readFile = (path) => files.get(path) ?? readFile(path)
  host.getSourceFile = (path, language, ...rest) => {
    const text = files.get(path)
    return text === undefined
      ? getSourceFile(path, language, ...rest)
      : ts.createSourceFile(path, text, language)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  return [...files.keys()].flatMap((path) => problemsOf(program, path))
}

function problemsOf(program: ts.Program, path: string): string[] {
  const file = program.getSourceFile(path)
  if (file === undefined) return [`${path}: not read`]
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ start = 0, messageText }) => {
      const { line } = file.getLineAndCharacterOfPosition(start)
      return `${path}, line ${line + 1} of the block: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    },
  )
}

function optionsOf(root: string): ts.CompilerOptions {
  const path = join(root, 'tsconfig.json')
  const { config } = ts.parseConfigFileTextToJson(path, readFileSync(path, 'utf8'))
  const { compilerOptions }: { compilerOptions: object } = config
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root, path)
  return { ...options, noUnusedLocals: false, noUnusedParameters: false }
}
