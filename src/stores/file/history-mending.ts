import { join } from 'node:path'

import { NewerFormatError } from '../../core/errors.ts'
import { readDocument, writeDocument } from './document.ts'
import { keepCopy, moveAway } from './kept-copy.ts'
import type { ThreadFiles } from './layout.ts'
import { readLog } from './log-file.ts'
import { changeOf, lineOf } from './log-record.ts'
import { replaceFile } from './replacement.ts'
import { salvage } from './salvage.ts'
import { denseRecords, salvageLog } from './salvaged-log.ts'
import { numbersIn } from './segments.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage } from './thread-reader.ts'

/** Makes the older files of a thread readable again; what belongs behind record `through` is moved away. */
export async function mendHistory(
  around: Surroundings,
  files: ThreadFiles,
  through: number,
): Promise<void> {
  for (const name of numbersIn(files.history, '.json')) {
    const path = join(files.history, `${name}.json`)
    if (!(await isSound(() => readDocument(path, around.disk))))
      await mendDocument(around, files, { path, through: Number(name) })
  }
  for (const name of numbersIn(files.history, '.log')) {
    const path = join(files.history, `${name}.log`)
    if (Number(name) > through) await moveAway(around, path)
    else if (!(await isSound(() => readLog(path)))) await mendLog(around, path)
  }
}

/** A document can be made again from those before it and the logs. */
async function mendDocument(
  around: Surroundings,
  files: ThreadFiles,
  { path, through }: { readonly path: string; readonly through: number },
): Promise<void> {
  const found = await salvage(files, around.disk, through)
  if (found?.through !== through) {
    await moveAway(around, path)
    return
  }
  await keepCopy(around, path)
  await writeDocument(path, around.disk, { state: found.state, through })
}

/** Of a log only its beginning can be read in order. */
async function mendLog(around: Surroundings, path: string): Promise<void> {
  const log = salvageLog(path)
  if (log?.header === undefined) {
    await moveAway(around, path)
    return
  }
  await keepCopy(around, path)
  const lines = denseRecords(log).map((line) => lineOf(line.number, changeOf(line)))
  await replaceFile(
    around.disk,
    path,
    Buffer.concat([lineOf(log.header.from, log.header), ...lines]),
  )
}

async function isSound(read: () => unknown): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    // What a newer hexagon wrote is left to it.
    if (error instanceof NewerFormatError) return true
    if (!isDamage(error)) throw error
    return false
  }
}
