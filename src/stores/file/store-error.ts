import { HexagonError, messageOf, StoreWriteError } from '../../core/errors.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a part of the path is not a folder',
  ENOENT: 'the folder is gone',
  ELOOP: 'it is a symbolic link, which is not followed',
  EIO: 'the device reports an error',
  EMFILE: 'too many open files',
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The system's code of an error, `ENOENT` for one; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Turns what the system says about a write into the store's error; its own errors stay. */
export function writeErrorOf(path: string, error: unknown): HexagonError {
  if (error instanceof HexagonError) return error
  const code = codeOf(error)
  if (FULL.has(code)) {
    const message = `No space left on device: ${path}. What was committed before is intact`
    return new StoreWriteError('E1311', message, error)
  }
  return new StoreWriteError('E1310', `Cannot write ${path}: ${reasonOf(error)}`, error)
}

/** Why the system refused, in words where there are some. */
export function reasonOf(error: unknown): string {
  return REASONS[codeOf(error)] ?? messageOf(error)
}

/** Runs `act`; undefined when the file or folder isn't there. */
export function unlessMissing<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
