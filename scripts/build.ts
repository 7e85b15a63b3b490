// Builds `dist`: declarations by tsc, JavaScript by esbuild. Everything goes to a folder beside
// it first and is swapped in whole, so a command that runs meanwhile never meets half a build.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

import { build, type BuildOptions, type Metafile } from 'esbuild'

import { noticesOf } from './notices.ts'

type Target = Readonly<Record<string, string>> | string

type Manifest = {
  readonly exports: Readonly<Record<string, Target>>
  readonly imports: Readonly<Record<string, Target>>
}

const root = resolve(import.meta.dirname, '..')
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = { library: sources(manifest.exports), command: sources(manifest.imports) }

const next = mkdtempSync(join(root, 'dist-'))
try {
  requireFiles([...entries.library, ...entries.command])
  declareInto(next)
  await build(libraryOptions(next))
  const { metafile } = await build(commandOptions(next))
  writeFileSync(join(next, 'cli/NOTICES.txt'), noticesOf(root, bundled(metafile)))
  swap(next, join(root, 'dist'))
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(next, { recursive: true, force: true })
}

/** What entries share exists once; packages are left to the installer, code is left readable. */
function libraryOptions(outdir: string): BuildOptions {
  return {
    ...commonOptions(outdir),
    entryPoints: entries.library,
    chunkNames: 'chunks/[name]-[hash]',
    packages: 'external',
  }
}

/** One file for a quick start, its lazy parts beside it, packages inside: no walk of node_modules. */
function commandOptions(outdir: string): BuildOptions & { metafile: true } {
  return {
    ...commonOptions(outdir),
    entryPoints: entries.command,
    // As deep as src/cli, so that a file finds package.json the same way in both places.
    chunkNames: 'cli/[name]-[hash]',
    external: ['tsx', 'tsx/*', 'esbuild', 'libsql'],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    // CommonJS packages inside an ES module still ask for built-ins with `require`.
    banner: {
      js: "import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);",
    },
  }
}

function commonOptions(outdir: string): BuildOptions {
  return {
    absWorkingDir: root,
    outbase: join(root, 'src'),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['hexagon:source'],
    logLevel: 'warning',
  }
}

function declareInto(outdir: string): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', outdir]
  try {
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  } catch (cause) {
    throw new Error('tsc found errors, dist is as it was', { cause })
  }
}

/** The source file of each entry; `./package.json` has none. */
function sources(targets: Readonly<Record<string, Target>>): string[] {
  return Object.values(targets).flatMap((target) => {
    const source = typeof target === 'string' ? undefined : target['hexagon:source']
    return source === undefined ? [] : [source]
  })
}

/** The files that left code in the bundle; what was shaken out needs no notice. */
function bundled(metafile: Metafile): string[] {
  return Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
}

function requireFiles(files: readonly string[]): void {
  const missing = files.filter((file) => !existsSync(join(root, file)))
  if (missing.length === 0) return
  throw new Error(`package.json names entries that do not exist: ${missing.join(', ')}`)
}

function swap(from: string, to: string): void {
  const old = `${from}-old`
  chmodSync(from, 0o755)
  if (existsSync(to)) renameSync(to, old)
  renameSync(from, to)
  rmSync(old, { recursive: true, force: true })
}
