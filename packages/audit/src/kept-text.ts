/** Longest text of a name; longer ones would not fit into an index. */
const MAX_CHARACTERS = 300

/**
 * Text as the database gives it back: what it would replace or refuse, halves of surrogate pairs and NUL characters,
 * is replaced before it is hashed. Else a stranger's name could make an honest row look changed.
 */
export const keptText = (text: string): string =>
  text.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll('\0', '\uFFFD')

/**
 * JSON whose keys are in order at every depth, so that equal details are equal texts. Its text is ASCII where
 * PostgreSQL needs it.
 */
export const canonicalJson = (value: Record<string, unknown>): string => JSON.stringify(value, inOrder)

const inOrder = (_: string, value: unknown): unknown => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
