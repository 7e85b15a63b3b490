const LONE_SURROGATE = /[\ud800-\udfff]/u
const BEYOND_URI = /[!~*'()]/gu
const CODE_UNIT = /%u([0-9A-F]{4})/g

/**
 * A name as part of a record's key: percent-encoded, without space or slash. Different names have different
 * texts; a lone surrogate, which no URI has, is `%u` and its code.
 */
export function encodeName(name: string): string {
  if (/^\w+$/.test(name)) return name
  const encoded = LONE_SURROGATE.test(name)
    ? Array.from(name, (char) =>
        LONE_SURROGATE.test(char) ? `%u${codeOf(char)}` : encodeURIComponent(char),
      ).join('')
    : encodeURIComponent(name)
  return encoded.replace(BEYOND_URI, (char) => `%${codeOf(char)}`)
}

function codeOf(char: string): string {
  return char.charCodeAt(0).toString(16).toUpperCase()
}

/** The name that {@link encodeName} made a text of. @throws URIError for any other text */
export function decodeName(text: string): string {
  return text
    .split(CODE_UNIT)
    .map((part, at) =>
      at % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(Number.parseInt(part, 16)),
    )
    .join('')
}
