/** Shorter texts are looked for by the engine itself: what it may compare in vain is then a few characters a place. */
const PLAIN_MAX = 8

/** Looks for a text in another from a place on; -1 where it is not. */
export type Finder = (text: string, from: number) => number

/** A finder whose time grows with the lengths of both texts added, never multiplied, whatever they hold (Knuth, Morris, Pratt). */
export function finderOf(wanted: string): Finder {
  if (wanted.length <= PLAIN_MAX) return (text, from) => text.indexOf(wanted, from)
  const backs = backsOf(wanted)
  return (text, from) => {
    let matched = 0
    for (let at = from; at < text.length; at += 1) {
      matched = goOn(wanted, backs, matched, text.charCodeAt(at))
      if (matched === wanted.length) return at - matched + 1
    }
    return -1
  }
}

/** For each beginning of a text: the length of the longest shorter beginning with which it ends. */
function backsOf(text: string): Uint32Array {
  const backs = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    length = goOn(text, backs, length, text.charCodeAt(at))
    backs[at] = length
  }
  return backs
}

/** How long a beginning of `wanted` stands at the end of what was read, when `unit` comes behind one of the length `matched`. */
function goOn(wanted: string, backs: Uint32Array, matched: number, unit: number): number {
  let length = matched
  while (length > 0 && wanted.charCodeAt(length) !== unit) length = backs[length - 1] ?? 0
  return wanted.charCodeAt(length) === unit ? length + 1 : length
}
