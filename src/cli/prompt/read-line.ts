import { StringDecoder } from 'node:string_decoder'

import type { Keyboard } from '../terminal/keyboard.ts'

/** How a line is read. */
export interface LineRequest {
  readonly input: Keyboard
  readonly signal: AbortSignal
  /** The keys are not echoed. */
  readonly hidden: boolean
}

const END_OF_LINE = /[\r\n]/u
const ERASED = /[^\b\x7f][\b\x7f]/u

/**
 * Reads one line and nothing more of what follows it. Without cursor movement: the terminal itself
 * echoes and edits, except for a hidden line.
 */
export async function readLine({ input, signal, hidden }: LineRequest): Promise<string> {
  const decoder = new StringDecoder('utf8')
  let text = ''
  if (hidden) input.setRawMode(true)
  try {
    return await new Promise<string>((resolve, reject) => {
      const finish = (settle: () => void): void => {
        input.off('data', take)
        signal.removeEventListener('abort', abort)
        settle()
      }
      const take = (data: Buffer | string): void => {
        text += decoder.write(Buffer.from(data))
        const end = text.search(END_OF_LINE)
        if (end >= 0)
          finish(() => resolve(hidden ? edited(text.slice(0, end)) : text.slice(0, end)))
      }
      const abort = (): void => finish(() => reject(new Error('The line is not needed any more')))
      signal.addEventListener('abort', abort, { once: true })
      input.on('data', take)
      input.resume()
      if (signal.aborted) abort()
    })
  } finally {
    input.pause()
    if (hidden) input.setRawMode(false)
  }
}

/** What is left of a line after its backspaces, which nobody else handles in raw mode. */
function edited(line: string): string {
  let text = line
  while (ERASED.test(text)) text = text.replace(ERASED, '')
  return text.replaceAll(/[\b\x7f]/gu, '')
}
