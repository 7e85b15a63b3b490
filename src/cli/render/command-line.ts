import type { Interrupt } from '../../core/interrupt.ts'

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/u

/** An argument as a POSIX shell takes it back. */
export function quoteArgument(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The command that goes on with a thread and asks there. */
export function continueCommand(threadId: string): string {
  return `hexagon resume ${quoteArgument(threadId)}`
}

/** The command that answers exactly this question as it was shown; `<…>` is for the person to fill in. */
export function answerCommand(interrupt: Interrupt): string {
  if (interrupt.kind === 'breakpoint') return continueCommand(interrupt.threadId)
  const digest = interrupt.digest === '' ? '' : ` --digest ${quoteArgument(interrupt.digest)}`
  return `hexagon resume ${quoteArgument(interrupt.id)}${digest} ${answerFlag(interrupt)}`
}

/** The flag that carries an answer of this kind. */
export function answerFlag({ kind }: Pick<Interrupt, 'kind'>): string {
  switch (kind) {
    case 'approval':
      return '--approve'
    case 'choice':
      return '--choose <option>'
    case 'doubt':
      return '--choose <happened|run|fail>'
    case 'input':
      return '--text <text>'
    case 'form':
    case 'custom':
      return '--data <value>'
    case 'breakpoint':
      return ''
    default:
      return kind satisfies never
  }
}
