/** What keeps a backup from being made, read or restored; its message is a sentence with the remedy. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem'
}

/** The file is not what was written: cut off, changed, or put together anew. */
export const damaged = (what: string, cause?: unknown): BackupProblem =>
  new BackupProblem(`The backup is damaged: ${what}. Take another copy of it.`, { cause })
