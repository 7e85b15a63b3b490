import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the packages that a bundle holds, which have to travel with their code. */
export function noticesOf(root: string, bundledFiles: readonly string[]): string {
  const folders = new Set(bundledFiles.flatMap((file) => packageFolder(file)))
  const notices = [...folders].toSorted().map((folder) => notice(join(root, folder)))
  return notices.join(`\n${'-'.repeat(80)}\n\n`)
}

function packageFolder(file: string): string[] {
  const match = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)
  return match === null ? [] : [match[0]]
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${name} ${version} (${license})\n${text}`
}
