// A source map gives each piece of a line its distance from the piece before it, in letters that hold five
// bits of a number and say whether more follow. So text that grew moves all that follows it in its line by
// one number: the distance of the first piece behind it.

/** Text on a line of code that became longer, or with a negative number shorter. */
export interface Shift {
  readonly line: number
  /** Where the text ended before; lines and columns start at 0, columns count UTF-16 units. */
  readonly column: number
  readonly by: number
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const MORE = 32

/** A source map's JSON for the code after these shifts, which are in the order of the code. */
export function shiftMap(map: string, shifts: readonly Shift[]): string {
  const parsed: { readonly mappings: string } = JSON.parse(map)
  const mappings = parsed.mappings
    .split(';')
    .map((line, number) =>
      shiftLine(
        line,
        shifts.filter((shift) => shift.line === number),
      ),
    )
    .join(';')
  return JSON.stringify({ ...parsed, mappings })
}

function shiftLine(line: string, shifts: readonly Shift[]): string {
  if (line === '' || shifts.length === 0) return line
  const due = [...shifts]
  let column = 0
  const shifted = line.split(',').map((piece) => {
    const { value, rest } = firstNumber(piece)
    column += value
    let by = 0
    while (due[0] !== undefined && due[0].column <= column) by += due.shift()?.by ?? 0
    return by === 0 ? piece : letters(value + by) + rest
  })
  return shifted.join(',')
}

function firstNumber(piece: string): { readonly value: number; readonly rest: string } {
  let bits = 0
  let length = 0
  let digit = MORE
  while (digit >= MORE) {
    digit = LETTERS.indexOf(piece.charAt(length))
    bits += (digit % MORE) * MORE ** length
    length += 1
  }
  const size = Math.floor(bits / 2)
  return { value: bits % 2 === 1 ? -size : size, rest: piece.slice(length) }
}

/** The sign is the lowest bit. */
function letters(value: number): string {
  let left = Math.abs(value) * 2 + (value < 0 ? 1 : 0)
  let text = ''
  do {
    const digit = left % MORE
    left = Math.floor(left / MORE)
    text += LETTERS.charAt(left > 0 ? digit + MORE : digit)
  } while (left > 0)
  return text
}
