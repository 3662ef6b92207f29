import { grow, type Run, spend } from '../run.ts'

/**
 * Up to this length the engine's own search is linear in the text; for longer texts it can take the product of both.
 */
const shortText = 8

/** Finds one text in another from a position on; -1 when it is not there. */
export type Find = (text: string, from: number) => number

/**
 * A search for `wanted` in texts of this length, linear whatever both are; the caller has paid for reading the text.
 */
export function finderOf(wanted: string, textLength: number, run: Run): Find {
  if (wanted.length > textLength) return () => -1
  if (wanted.length <= shortText) return (text, from) => text.indexOf(wanted, from)
  grow(run, wanted.length * 2)
  spend(run, wanted.length >>> 3)
  const borders = bordersOf(wanted)
  return (text, from) => findFrom(text, from, wanted, borders)
}

/** For each beginning of a text the length of its longest border: what is both its start and its end. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  let length = 0
  for (let at = 1; at < wanted.length; at += 1) {
    const unit = wanted.charCodeAt(at)
    while (length > 0 && unit !== wanted.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (unit === wanted.charCodeAt(length)) length += 1
    borders[at] = length
  }
  return borders
}

// Knuth, Morris and Pratt: what was read once is never read again.
function findFrom(text: string, from: number, wanted: string, borders: Int32Array): number {
  let length = 0
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    while (length > 0 && unit !== wanted.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (unit === wanted.charCodeAt(length)) length += 1
    if (length === wanted.length) return at + 1 - length
  }
  return -1
}
