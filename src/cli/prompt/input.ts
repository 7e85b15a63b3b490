import { safe } from '../terminal/safe.ts'
import { textOfProblem, type Asking, type InterruptOutcome } from './asking.ts'
import { editText } from './edit-text.ts'
import { leave, submit, untilOutcome, type Step } from './step.ts'
import { wording } from './wording.ts'

const { input: words } = wording

/** Asks for a line of text; an empty line opens the editor where an empty answer is not one. */
export async function askInput(asking: Asking): Promise<InterruptOutcome> {
  if (asking.interrupt.secret === true) return askSecret(asking)
  const emptyCounts = await takesEmpty(asking)
  const start = startOf(asking)
  const isLong = asking.interrupt.multiline === true || start.includes('\n')
  const opensEditor = isLong || !emptyCounts
  const plainHint = opensEditor ? words.hintPlainEditor : words.hintPlain
  const hint = hintLines(asking, hintOf(isLong, opensEditor), plainHint)
  const head = [...asking.draw(false).lines, ...hint]
  return untilOutcome(head, async (above) => {
    const asked = await asking.terminal.prompter.input({
      ...asking.control,
      above,
      message: words.message,
      ...(isLong || start === '' ? {} : { prefill: start }),
      validate: (text) => (text === '' && opensEditor ? true : verdict(asking, text)),
    })
    if (asked.kind !== 'answer') return leave(asking, asked)
    if (asked.value === '' && opensEditor) return write(asking, start)
    return submit(asking, asked.value)
  })
}

function askSecret(asking: Asking): Promise<InterruptOutcome> {
  const hint = hintLines(asking, words.hintSecret, words.hintPlain)
  const head = [...asking.draw(false).lines, ...hint]
  return untilOutcome(head, async (above) => {
    const asked = await asking.terminal.prompter.password({
      ...asking.control,
      above,
      message: words.message,
      validate: (text) => (text === '' ? words.required : verdict(asking, text)),
    })
    return asked.kind === 'answer' ? submit(asking, asked.value) : leave(asking, asked)
  })
}

async function write(asking: Asking, start: string): Promise<Step> {
  const written = await editText(asking, { text: start, help: words.editorHelp, extension: 'md' })
  if (written.kind === 'nothing') return { kind: 'again', above: written.above }
  if (written.kind !== 'text') return leave(asking, written)
  // An editor closed without a word is no answer.
  if (written.text.trim() === '') return { kind: 'again', above: [words.nothingChanged] }
  return submit(asking, written.text)
}

async function verdict(asking: Asking, text: string): Promise<true | string> {
  const problems = await asking.problems(text)
  if (problems.length === 0) return true
  if (text === '') return words.required
  return problems.map(textOfProblem).join('; ')
}

async function takesEmpty(asking: Asking): Promise<boolean> {
  return (await asking.problems('')).length === 0
}

/** What stands in the line at the beginning; what can't be shown there goes to the editor. */
function startOf({ interrupt }: Asking): string {
  const usual = interrupt.default
  if (typeof usual !== 'string') return ''
  return safe(usual) === usual || usual.includes('\n') ? usual : ''
}

function hintLines({ view }: Asking, text: string, plainText: string): string[] {
  const { paint, plain, symbols } = view
  if (plain) return [plainText]
  return [`  ${paint.dim(text.replaceAll('·', symbols.dot))}`, '']
}

function hintOf(isLong: boolean, opensEditor: boolean): string {
  if (isLong) return words.hintMultiline
  return opensEditor ? words.hintEditor : words.hint
}
