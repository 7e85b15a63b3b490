import { builtinModules } from 'node:module'
import { posix } from 'node:path'

import {
  asksTheMachine,
  hasStarExport,
  importsOf,
  mentionsGlobal,
  type SourceFile,
} from './source-file.ts'

/** What a room may import: other rooms, packages by name, and Node's built-ins all or by file. */
export type Room = {
  readonly rooms: readonly string[]
  readonly packages?: readonly string[]
  readonly builtins?: 'any' | Readonly<Record<string, readonly string[]>>
}

/** The rooms by name: a folder of `src`, or a file that lies in no folder. */
export type RoomTable = Readonly<Record<string, Room>>

/** Names that say nothing about what is inside. */
const drawer =
  /(^|[/-])(utils?|helpers?|common|shared|types|constants|internals?|misc|managers?)([./-]|$)/

/** Every import that the table does not allow, as `file -> target`. */
export function strayImports(files: readonly SourceFile[], table: RoomTable): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !isAllowed(file.path, target, table))
      .map((target) => `${file.path} -> ${target}`),
  )
}

/** Every file or folder with a name that fits anything. */
export function drawers(files: readonly SourceFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => drawer.test(path))
}

/** Every file whose exports cannot be read off its text. */
export function starExports(files: readonly SourceFile[]): string[] {
  return files.filter(hasStarExport).map(({ path }) => path)
}

/** Every file that reads `process` without being one of the given rooms or files. */
export function processReads(files: readonly SourceFile[], allowed: readonly string[]): string[] {
  return outside(files, allowed)
    .filter((file) => mentionsGlobal(file, 'process'))
    .map(({ path }) => path)
}

/** Every file that takes time or chance from the machine without being allowed to. */
export function machineReads(files: readonly SourceFile[], allowed: readonly string[]): string[] {
  return outside(files, allowed)
    .filter(asksTheMachine)
    .map(({ path }) => path)
}

/** The first way round of every group of files that import each other, types included. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, relativeTargets(file)]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' -> '))
    if (start >= 0 || done.has(path)) return
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return cycles
}

function outside(files: readonly SourceFile[], allowed: readonly string[]): SourceFile[] {
  return files.filter(({ path }) => !allowed.includes(roomOf(path)) && !allowed.includes(path))
}

function isAllowed(path: string, target: string, table: RoomTable): boolean {
  const room = table[roomOf(path)]
  if (room === undefined) return false
  if (target.startsWith('.')) return isOpenDoor(path, target, room)
  if (isBuiltin(target)) return isAllowedBuiltin(path, target, room)
  return room.packages?.includes(packageOf(target)) ?? false
}

function isOpenDoor(path: string, target: string, room: Room): boolean {
  const targetRoom = roomOf(resolveFrom(path, target))
  return targetRoom === roomOf(path) || room.rooms.includes(targetRoom)
}

function isAllowedBuiltin(path: string, target: string, { builtins }: Room): boolean {
  return builtins === 'any' || (builtins?.[path]?.includes(target) ?? false)
}

function isBuiltin(target: string): boolean {
  return target.startsWith('node:') || builtinModules.includes(target)
}

function packageOf(target: string): string {
  const parts = target.split('/')
  return parts.slice(0, target.startsWith('@') ? 2 : 1).join('/')
}

function relativeTargets(file: SourceFile): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => resolveFrom(file.path, target))
}

function resolveFrom(path: string, target: string): string {
  return posix.normalize(posix.join(posix.dirname(path), target))
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? ''
}
