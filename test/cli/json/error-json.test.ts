import { expect, test } from 'vitest'

import { errorJson } from '../../../src/cli/json/error-json.ts'
import { interruptJson } from '../../../src/cli/json/interrupt-json.ts'
import { StaleAnswerError } from '../../../src/core/errors.ts'
import { question } from '../../support/question.ts'

test('a changed question without a payload is written as one that never had one', () => {
  const was = { message: 'Delete 10 rows?', payload: undefined, digest: 'd1' }
  const now = { message: 'Delete all rows?', payload: undefined, digest: 'd2' }

  const { details } = errorJson(new StaleAnswerError('i_1', { was, now }, 'it asks another'))
  const { changedFrom } = interruptJson(question({ changedFrom: was }))

  expect(details).toEqual({
    interruptId: 'i_1',
    was: { message: 'Delete 10 rows?', digest: 'd1' },
    now: { message: 'Delete all rows?', digest: 'd2' },
  })
  expect(changedFrom).toEqual({ message: 'Delete 10 rows?', payload: null, digest: 'd1' })
})
