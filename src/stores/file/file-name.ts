const STRICT = /^[a-z0-9][a-z0-9._-]{0,63}$/
/** Windows takes these for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(?:\.|$)/
const SHOWN_LENGTH = 24

/**
 * The name of a thread's files. A plain id is its own name. Others get the beginning of the id, `~` and
 * its hash, so that none leaves the folder and no two meet where upper and lower case are the same.
 */
export function fileNameOf(id: string): string {
  return isPlain(id) ? id : `${shownPart(id)}~${hashOfUnits(id)}`
}

/** True when the id can be read off the file's name. */
export function isPlainName(name: string): boolean {
  return !name.includes('~')
}

function isPlain(id: string): boolean {
  return STRICT.test(id) && !id.endsWith('.') && !DEVICE.test(id)
}

function shownPart(id: string): string {
  return id
    .slice(0, SHOWN_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '_')
}

/** SHA-256 over UTF-16: in UTF-8 all lone surrogates would be one. */
function hashOfUnits(id: string): string {
  const bytes = Buffer.from(id, 'utf16le')
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex')
}
