import type { Keyboard } from '../terminal/keyboard.ts'

interface Key {
  name?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
}

const USED = new Set(['up', 'down', 'return', 'enter', 'space', 'backspace'])
const CONTROL = /\p{Cc}/u

/**
 * Opens a list that only keys with a meaning can move. By itself a list takes every other key
 * (Tab, an arrow to the left, Ctrl+Z) for an empty search and jumps to its first entry, which is
 * the one that approves.
 */
export async function withTamedKeys<T>(input: Keyboard, open: () => Promise<T>): Promise<T> {
  // The list's readline listens from here on, the list itself from the next turn of the event loop:
  // in between is where a key can still be renamed for the list alone.
  const answer = open()
  input.on('keypress', tame)
  try {
    return await answer
  } finally {
    input.off('keypress', tame)
  }
}

/** A key without a meaning becomes the one that clears the search and moves nothing. */
function tame(text: string | undefined, key: Key): void {
  if (key.name !== undefined && USED.has(key.name)) return
  const isTyped = text !== undefined && !CONTROL.test(text)
  if (!isTyped || key.ctrl === true || key.meta === true) key.name = 'backspace'
}
