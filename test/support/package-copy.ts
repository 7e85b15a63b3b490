// A copy of this package as it is published, built from the sources as they are now: what a test
// that spawns the command runs. Built once for a test file; much faster to start than the sources.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { buildSync, type BuildOptions } from 'esbuild'

type Targets = Readonly<Record<string, string | Readonly<Record<string, string>>>>

const root = resolve(import.meta.dirname, '../..')

/** The copy's folder. */
export interface PackageCopy {
  readonly folder: string
  readonly bin: string
  remove(): void
}

/** Builds a copy into a temporary folder. */
export function copyPackage(): PackageCopy {
  const folder = mkdtempSync(join(tmpdir(), 'hexagon-package-'))
  mkdirSync(join(folder, 'bin'))
  for (const file of ['package.json', 'bin/hexagon.js'])
    copyFileSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { exports, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Targets
    readonly imports: Targets
  }
  const outdir = join(folder, 'dist')
  buildSync({
    ...common(outdir),
    entryPoints: sources(exports),
    packages: 'external',
    chunkNames: 'chunks/[name]-[hash]',
  })
  buildSync({
    ...common(outdir),
    entryPoints: sources(imports),
    external: ['tsx', 'tsx/*', 'esbuild', 'libsql'],
    chunkNames: 'cli/[name]-[hash]',
    banner: {
      js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
    },
  })
  return {
    folder,
    bin: join(folder, 'bin/hexagon.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function common(outdir: string): BuildOptions {
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
    logLevel: 'error',
  }
}

function sources(targets: Targets): string[] {
  return Object.values(targets).flatMap((target) =>
    typeof target === 'string' ? [] : [target['hexagon:source'] ?? []].flat(),
  )
}
