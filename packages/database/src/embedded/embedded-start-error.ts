/** Why the embedded PostgreSQL can't start, in one sentence that names the remedy. */
export class EmbeddedStartError extends Error {
  override readonly name = 'EmbeddedStartError'
}

const REASONS: Record<string, (path: string) => string> = {
  EACCES: (path) =>
    `The data directory ${path} is not writable; give this user access to it or choose another one.`,
  EPERM: (path) =>
    `The data directory ${path} can't be given to the user that runs PostgreSQL; choose another one.`,
  EROFS: (path) => `The data directory ${path} is on a read-only file system; choose another one.`,
  ENOSPC: (path) => `The disk that holds ${path} is full; free some space and start again.`,
  EDQUOT: (path) => `The disk quota for ${path} is used up; free some space and start again.`,
  ENOTDIR: (path) => `The data directory ${path} is, or lies below, a file; choose another one.`,
  ENOENT: (path) => `The data directory ${path} can't be made there; choose another one.`,
  EEXIST: (path) => `The data directory ${path} is, or lies below, a file; choose another one.`,
}

/** Turns what the file system says into a sentence; other errors stay themselves. */
export function explainFileError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = REASONS[code]
  return reason === undefined ? error : new EmbeddedStartError(reason(path), { cause: error })
}
