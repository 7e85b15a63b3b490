import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'

import { getBlob } from './blob-folder.ts'
import type { Finding } from './finding.ts'
import { unlessMissing } from './store-error.ts'
import { isDamage } from './thread-reader.ts'

/** Blobs that are not what their name says. Nothing can bring one back: its name is all that is known of it. */
export async function checkBlobs(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const part of unlessMissing(() => readdirSync(folder)) ?? []) {
    const inner = join(folder, part)
    if (!statSync(inner).isDirectory()) continue
    for (const name of readdirSync(inner)) findings.push(...checkBlob(folder, name))
    await breathe()
  }
  return findings
}

function checkBlob(folder: string, name: string): Finding[] {
  try {
    getBlob(folder, name)
    return []
  } catch (error) {
    if (!isDamage(error)) throw error
    const { file, problem } = error.details
    return [
      {
        kind: 'damaged',
        file: String(file),
        problem: String(problem),
        weight: 'problem',
        hint: 'There is no second copy of it here. Put one back from a backup.',
      },
    ]
  }
}
