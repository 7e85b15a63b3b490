import { HexagonError } from '../../core/errors.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { answerCommand } from '../render/command-line.ts'
import type { AnswerPlan } from './plan.ts'

const SHORTEST_DIGEST = 8

/**
 * The digests to check, by interrupt id: `--digest <digest>` for the only answer, `<id>=<digest>` for one of
 * several. The beginning of a digest stands for it. @throws HexagonError E1016, E1214
 */
export function readDigests(
  given: readonly string[],
  plan: AnswerPlan,
): Readonly<Record<string, string>> {
  return Object.fromEntries(given.map((text) => readDigest(text, plan)))
}

function readDigest(text: string, { answers }: AnswerPlan): [string, string] {
  const [, id, named] = /^(i_\w+)=(.*)$/u.exec(text) ?? []
  const digest = named ?? text
  const [first, ...others] =
    id === undefined ? answers : answers.filter(({ question }) => question.id === id)
  if (first === undefined || others.length > 0) {
    throw new HexagonError(
      'E1016',
      `--digest ${text} does not say which of the answers it is for`,
      {
        hint: 'Write --digest <interrupt id>=<digest> for each.',
        details: { digest: text },
      },
    )
  }
  return [first.question.id, whole(first.question, digest)]
}

function whole({ digest }: Interrupt, given: string): string {
  return given.length >= SHORTEST_DIGEST && digest.startsWith(given) ? digest : given
}

/**
 * Without a terminal a prefix or `@latest` may mean another thread than was reviewed, so the digest has to
 * say what was. @throws HexagonError E1220
 */
export function assertReviewed(
  plan: AnswerPlan,
  digests: Readonly<Record<string, string>>,
  selector: string,
): void {
  const unsure = plan.answers.find(({ question }) => digests[question.id] === undefined)
  if (unsure === undefined) return
  throw new HexagonError(
    'E1220',
    `"${selector}" may mean another thread tomorrow: without a terminal it needs --digest`,
    {
      hint: `Or the full id: ${answerCommand(unsure.question)}`,
      details: { interruptId: unsure.question.id, threadId: unsure.question.threadId },
    },
  )
}
