/** Shorter texts are looked for by the engine itself, which compares at most a few characters in vain each time. */
export const MAX_PLAIN_SEARCH = 8

/** Looks for a text in another from a place on; -1 where it is not. */
export type FindText = (text: string, from: number) => number

/**
 * Prepares the search for a text. Its time grows with the lengths of both texts added, never multiplied, whatever they
 * hold (Knuth, Morris, Pratt).
 */
export function textFinder(wanted: string): FindText {
  if (wanted.length <= MAX_PLAIN_SEARCH) return (text, from) => text.indexOf(wanted, from)
  const borders = bordersOf(wanted)
  return (text, from) => findFrom(text, from, wanted, borders)
}

/** For each beginning of a text the length of its longest border: what is both its start and its end. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  let length = 0
  for (let at = 1; at < wanted.length; at += 1) {
    length = longer(wanted, borders, length, wanted.charCodeAt(at))
    borders[at] = length
  }
  return borders
}

function findFrom(text: string, from: number, wanted: string, borders: Int32Array): number {
  let length = 0
  for (let at = from; at < text.length; at += 1) {
    length = longer(wanted, borders, length, text.charCodeAt(at))
    if (length === wanted.length) return at + 1 - length
  }
  return -1
}

/** How much of `wanted` stands at the end of what was read, once `unit` follows after `length` units of it. */
function longer(wanted: string, borders: Int32Array, length: number, unit: number): number {
  let matched = length
  while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
  return unit === wanted.charCodeAt(matched) ? matched + 1 : matched
}
