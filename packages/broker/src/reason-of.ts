const LONGEST_REASON = 2000

/** What is kept of an error with a dead letter. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .replaceAll('\0', '')
    .slice(0, LONGEST_REASON)
