/**
 * A position in a text at which it may be cut: the given one, or the one before where that is in the middle of a
 * character that takes two, such as an emoji. Half of one is no text that can be stored or sent.
 */
export const cutAt = (text: string, at: number): number =>
  at > 0 && isHalf(text, at - 1, 0xd800) && isHalf(text, at, 0xdc00) ? at - 1 : at

/** High halves begin at 0xd800, low ones at 0xdc00, 1,024 of each. */
const isHalf = (text: string, at: number, from: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= from && code < from + 0x400
}

/** As `text.slice(from, to)`, but no character is cut into halves. */
export function sliceText(text: string, from = 0, to = text.length): string {
  return text.slice(cutAt(text, positionIn(text, from)), cutAt(text, positionIn(text, to)))
}

function positionIn(text: string, given: number): number {
  const at = Number.isNaN(given) ? 0 : Math.trunc(given)
  return at < 0 ? Math.max(0, text.length + at) : Math.min(at, text.length)
}

/** The order of texts in all stores: by code points, as bytes of UTF-8 and as PostgreSQL's collation "C" have it. */
export function byCodePoints(one: string, other: string): number {
  // No more is looked at than both have in common.
  const shared = Math.min(one.length, other.length)
  for (let at = 0; at < shared; at += 1) {
    const unit = one.charCodeAt(at)
    const otherUnit = other.charCodeAt(at)
    if (unit !== otherUnit) return rank(unit) - rank(otherUnit)
  }
  return one.length - other.length
}

/** Halves of what lies beyond the basic plane come behind all that lies within it. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

/**
 * FNV-1a over 32 bits of the UTF-16 units, as a number that a column of type int holds; goes on from the hash of what
 * came before.
 */
export function hashOfText(text: string, before = 0): number {
  let hash = before ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
