import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult } from '../invocation.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { headJson } from '../json/thread-json.ts'
import { continueCommand } from '../render/command-line.ts'
import { placeOf } from '../render/interrupt-name.ts'
import { sourceOf, type ContinueRequest } from './continue-thread.ts'

/** `--no-run`: keeps the answers for whoever runs the thread next. @throws every refusal of an answer */
export async function storeAnswers({
  invocation,
  project,
  runner,
  view,
  plan,
  digests,
}: ContinueRequest): Promise<CommandResult> {
  if (plan === undefined) {
    throw new HexagonError('E1006', '--no-run stores an answer, but none is given', {
      hint: 'Add --approve, --choose, --text, --data or --answers.',
    })
  }
  const answers = Object.fromEntries(
    plan.answers.map(({ question, value }) => [question.id, value]),
  )
  const ifVersion = invocation.options.number('ifVersion')
  const after = await runner.answer(
    view.threadId,
    { answers, digests, ...(ifVersion === undefined ? {} : { ifVersion }) },
    { source: sourceOf(plan, invocation) },
  )
  const { terminal, settings } = invocation
  if (!settings.quiet) {
    const places = plan.answers.map(({ question }) => placeOf(question)).join(', ')
    terminal.stderr(`${terminal.err.paint.green(terminal.symbols.ok)} Answer stored  ${places}`)
    if (!settings.inAutomation) terminal.stderr(`  Continue:  ${continueCommand(view.threadId)}`)
  }
  return { exitCode: exitCode.ok, document: documentOf(project.redaction.view(after)) }
}

function documentOf(view: ThreadView): NonNullable<CommandResult['document']> {
  return {
    status: view.status,
    thread: headJson(view),
    interrupts: view.interrupts.map(interruptJson),
    resume: continueCommand(view.threadId),
  }
}
