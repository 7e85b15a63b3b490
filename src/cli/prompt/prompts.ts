import type { Console } from '../terminal/console.ts'
import type { Prompts } from '../terminal/prompter.ts'
import type { Session } from './ask.ts'
import { InquirerPrompts } from './inquirer-prompts.ts'
import { PlainPrompts } from './plain-prompts.ts'

/** The prompts of a terminal: with a cursor, or line by line. */
export function createPrompts(open: () => Console, plain: boolean): Prompts {
  const session: Session = { left: undefined, takenAway: false }
  return plain ? new PlainPrompts(open, session) : new InquirerPrompts(open, session)
}
