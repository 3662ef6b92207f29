import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** As many as are in use at the same time; a connection that has prepared more than twice as many is not used again. */
export const MAX_NAMED = 300
const MAX_CANDIDATES = 1000
const USES_BEFORE_NAMED = 3

const named = new LRUCache<string, string>({ max: MAX_NAMED })
const candidates = new LRUCache<string, number>({ max: MAX_CANDIDATES })

/**
 * The name under which the server keeps a statement prepared, or undefined for one seen too seldom to be worth its
 * memory. Texts built from lists have no end, so of both the ones that were not used for longest are forgotten. The
 * name is a hash: it means the same text in every process, and again when the text comes back.
 */
export function statementName(text: string): string | undefined {
  const known = named.get(text)
  if (known !== undefined) return known
  const uses = (candidates.get(text) ?? 0) + 1
  if (uses < USES_BEFORE_NAMED) {
    candidates.set(text, uses)
    return undefined
  }
  candidates.delete(text)
  const name = createHash('sha1').update(text).digest('base64url')
  named.set(text, name)
  return name
}
