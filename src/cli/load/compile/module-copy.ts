import { basename, extname } from 'node:path'
import { pathToFileURL } from 'node:url'

import { isPath } from '../load-error.ts'
import type { Module, ModuleGraph } from './module-graph.ts'
import { relocate, type Replacement } from './relocated.ts'
import type { Target } from './target.ts'

/** A compiled file that runs beside its fellows. */
export interface ModuleCopy {
  /** The original. */
  readonly file: string
  readonly code: string
}

/**
 * Copies of all modules by file name, the flow's own first, which import each other instead of the
 * originals. Undefined when an import can't be sent elsewhere for sure.
 */
export function copyModules({ entry, modules }: ModuleGraph): Map<string, ModuleCopy> | undefined {
  const moving = [...modules.values()]
    .filter(({ stays }) => !stays)
    .toSorted((a, b) => Number(b.source.file === entry) - Number(a.source.file === entry))
  const names = new Map(moving.map(({ source: { file } }, index) => [file, nameOf(file, index)]))
  const copies = new Map<string, ModuleCopy>()
  for (const module of moving) {
    const { script, reading, source } = module
    const moved = relocate(script, reading.records, replacementsFor(module, names))
    if (moved === undefined) return undefined
    const code = moved.code + mapComment(moved.map)
    copies.set(names.get(source.file) ?? '', { file: source.file, code })
  }
  return copies
}

function nameOf(file: string, index: number): string {
  const stem = basename(file, extname(file)).replaceAll(/[^\w-]/gu, '_')
  return `${index}-${stem}.mjs`
}

function replacementsFor(
  module: Module,
  names: ReadonlyMap<string, string>,
): Map<string, Replacement> {
  const { file } = module.source
  return new Map(
    [...module.targets].flatMap(([specifier, target]): [string, Replacement][] => {
      const place = placeOf(target, names) ?? naivePlace(target, specifier, file)
      const dropsAttribute = target.kind === 'module'
      return place === undefined ? [] : [[specifier, { specifier: place, dropsAttribute }]]
    }),
  )
}

function placeOf(target: Target, names: ReadonlyMap<string, string>): string | undefined {
  if (target.kind !== 'module' && target.kind !== 'package') return undefined
  const name = target.kind === 'module' ? names.get(target.file) : undefined
  return name === undefined ? pathToFileURL(target.file).href : `./${name}`
}

/** What is not there yet may be there when the import runs. */
function naivePlace(target: Target, specifier: string, importer: string): string | undefined {
  if (target.kind !== 'missing' || !isPath(specifier)) return undefined
  return new URL(specifier, pathToFileURL(importer)).href
}

function mapComment(map: string): string {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`
}
