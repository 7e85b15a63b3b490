import type { Console } from '../terminal/console.ts'
import type { Prompter } from '../terminal/prompter.ts'
import type { Session } from './ask.ts'
import { InquirerPrompter } from './inquirer-prompter.ts'
import { PlainPrompter } from './plain-prompter.ts'

/** The prompts of a terminal: with a cursor, or line by line. */
export function createPrompter(open: () => Console, plain: boolean): Prompter {
  const session: Session = { left: undefined }
  return plain ? new PlainPrompter(open, session) : new InquirerPrompter(open, session)
}
