import { HexagonError } from '../core/errors.ts'
import { Redaction } from './config/redaction.ts'
import type { Invocation } from './invocation.ts'
import type { Place } from './project.ts'

/** What hides values in this invocation: nothing with `--show-secrets`. @throws HexagonError E1017 in a pipe */
export function redactionOf(
  { redaction }: Pick<Place, 'redaction'>,
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
): Redaction {
  if (!options.flag('showSecrets')) return redaction
  if (terminal.out.isTTY) return new Redaction({})
  throw new HexagonError('E1017', '--show-secrets shows them only at a terminal', {
    hint: 'Leave it out, or run the command at a terminal.',
  })
}
