import { createHash } from 'node:crypto'

const MAX_NAMED = 300
const MAX_CANDIDATES = 1000
const USES_BEFORE_NAMED = 3

const named = new Map<string, string>()
const candidates = new Map<string, number>()

/**
 * The name under which the server keeps a statement prepared, or undefined for one seen too seldom to be worth its memory.
 * Texts built from lists have no end, so both maps are bounded. The name is a hash: it means the same text in every process.
 */
export function statementName(text: string): string | undefined {
  const known = named.get(text)
  if (known !== undefined || named.size >= MAX_NAMED) return known
  const uses = (candidates.get(text) ?? 0) + 1
  if (uses < USES_BEFORE_NAMED) {
    if (candidates.size >= MAX_CANDIDATES) candidates.clear()
    candidates.set(text, uses)
    return undefined
  }
  candidates.delete(text)
  const name = createHash('sha1').update(text).digest('base64url')
  named.set(text, name)
  return name
}
