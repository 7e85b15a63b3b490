import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { createDraftStore } from '../../../src/cli/session/draft-store.ts'
import { KEY, OTHER_KEY } from '../../stores/keys.ts'
import { tempFolder } from '../../stores/temp-folder.ts'

const DRAFT = { name: 'Ann', amount: 12n }

/** Everything the drafts of a store hold. */
function textIn(folder: string): string {
  const drafts = join(folder, 'drafts')
  return readdirSync(drafts)
    .map((file) => readFileSync(join(drafts, file), 'utf8'))
    .join('\n')
}

test.each([
  ['plain', undefined],
  ['encrypted', [KEY]],
])('a %s draft comes back once', async (_how, keys) => {
  const drafts = createDraftStore(tempFolder(), keys)
  await drafts.save('i_1', DRAFT)

  expect(await drafts.load('i_1')).toEqual(DRAFT)
  expect(await drafts.load('i_1')).toBeUndefined()
})

test('with a key a draft tells nothing to who has only the folder', async () => {
  const folder = tempFolder()
  await createDraftStore(folder, [KEY]).save('i_1', DRAFT)

  expect(textIn(folder)).not.toContain('Ann')
  expect(await createDraftStore(folder, [OTHER_KEY]).load('i_1')).toBeUndefined()
  expect(await createDraftStore(folder, undefined).load('i_1')).not.toEqual(DRAFT)
})
