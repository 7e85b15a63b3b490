import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../config.ts'
import { messageOf, SealedError } from '../core/errors.ts'
import type { Settings } from './settings.ts'

/**
 * The keys that threads are encrypted with: those of HEXAGON_KEY, of the file that HEXAGON_KEY_FILE names, or of the
 * file that the configuration names. @throws SealedError E1325 for a file that can't be read
 */
export function readKeys(
  { key, keyFile }: Pick<Settings, 'key' | 'keyFile'>,
  { keyFile: configured }: Pick<Config, 'keyFile'>,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): readonly string[] | undefined {
  if (key !== undefined) return keysIn(key)
  if (keyFile !== undefined) return keysOfFile(resolve(cwd, keyFile))
  return configured === undefined ? undefined : keysOfFile(resolve(root, configured))
}

/** One or more keys, apart by blanks, commas or line breaks. */
function keysIn(text: string): string[] {
  return text.split(/[\s,]+/u).filter((word) => word !== '')
}

function keysOfFile(path: string): string[] {
  try {
    return keysIn(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new SealedError('E1325', `The key file ${path}`, `can't be read: ${messageOf(error)}`)
  }
}
