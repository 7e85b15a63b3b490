import { SealedError } from '../../core/errors.ts'
import type { Cipher } from '../sealed/cipher.ts'
import { opening } from '../sealed/sealed-text.ts'
import { ThreadTexts } from '../sealed/thread-texts.ts'
import { isPlainName } from './file-name.ts'
import type { Finding } from './finding.ts'
import { readJsonObject } from './json-file.ts'
import type { Layout, ThreadFiles } from './layout.ts'
import { changesAfter } from './log-file.ts'
import { logsOf } from './segments.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage, readThread } from './thread-reader.ts'

/** A text of a thread that does not open, though its file is whole. Nobody without its key can repair it. */
export async function checkSeals(
  { disk }: Surroundings,
  files: ThreadFiles,
  cipher: Cipher,
): Promise<Finding[]> {
  try {
    const found = await readThread(files, disk)
    if (found === undefined) return []
    const texts = new ThreadTexts(found.state.id, opening(cipher))
    texts.state(found.state)
    for (const log of logsOf(files)) {
      for (const change of changesAfter(log, log.header.from)) texts.change(change)
    }
    return []
  } catch (error) {
    // What is damaged is told elsewhere.
    if (isDamage(error)) return []
    if (error instanceof SealedError) return [sealFinding(files, error)]
    throw error
  }
}

/** Says that only the key tells whether what is encrypted is whole. */
export function sealNote(layout: Layout): Finding[] {
  try {
    if (readJsonObject(layout.manifest)?.['encrypted'] !== true) return []
  } catch (error) {
    if (isDamage(error)) return []
    throw error
  }
  const problem = 'is encrypted; with its key what is inside is checked too'
  return [{ kind: 'sealed', file: layout.root, problem, weight: 'note' }]
}

function sealFinding(files: ThreadFiles, { code, message, hint }: SealedError): Finding {
  return {
    kind: 'sealed',
    file: files.document,
    problem: `does not open: ${message} [${code}]`,
    weight: 'problem',
    ...(isPlainName(files.name) ? { threadId: files.name } : {}),
    ...(hint === undefined ? {} : { hint }),
  }
}
