/** True for the texts a pattern means. */
export type Pattern = (text: string) => boolean

/**
 * A pattern in which `*` stands for any characters. Its parts are looked for from left to right, each behind the one
 * before: what is found first leaves most for the rest, so that nothing is looked at twice.
 */
export function patternOf(pattern: string): Pattern {
  const parts = pattern.split('*')
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return (text) => text === pattern
  const middle = rest
    .filter((part) => part !== '')
    .map((part) => ({ find: finderOf(part), length: part.length }))
  return (text) => {
    if (!text.startsWith(first)) return false
    const from = behind(text, first.length, middle)
    return from !== undefined && text.length - last.length >= from && text.endsWith(last)
  }
}

/** The index behind the last of the parts; undefined where one is missing. */
function behind(
  text: string,
  start: number,
  parts: readonly { find: Finder; length: number }[],
): number | undefined {
  let from = start
  for (const { find, length } of parts) {
    const at = find(text, from)
    if (at < 0) return undefined
    from = at + length
  }
  return from
}

/** Shorter texts are looked for by the engine itself, which compares at most a few characters in vain each time. */
const PLAIN_MAX = 8

/** Looks for a text in another from an index on; -1 where it is not. */
export type Finder = (text: string, from: number) => number

/**
 * A finder whose time always grows with the lengths of both texts added, never multiplied (Knuth, Morris, Pratt).
 */
function finderOf(wanted: string): Finder {
  if (wanted.length <= PLAIN_MAX) return (text, from) => text.indexOf(wanted, from)
  const units = Uint16Array.from({ length: wanted.length }, (_, at) => wanted.charCodeAt(at))
  const backs = backsOf(units)
  return (text, from) => {
    let matched = 0
    for (let at = from; at < text.length; at += 1) {
      matched = goOn(units, backs, matched, text.charCodeAt(at))
      if (matched === units.length) return at - matched + 1
    }
    return -1
  }
}

/** For each beginning of a text: the length of the longest shorter beginning with which it ends. */
function backsOf(units: Uint16Array): Uint32Array {
  const backs = new Uint32Array(units.length)
  let length = 0
  for (let at = 1; at < units.length; at += 1) {
    length = goOn(units, backs, length, units[at] ?? 0)
    backs[at] = length
  }
  return backs
}

/**
 * How long a beginning of `wanted` stands at the end of what was read, when `unit` comes behind one of the length
 * `matched`.
 */
function goOn(wanted: Uint16Array, backs: Uint32Array, matched: number, unit: number): number {
  let length = matched
  while (length > 0 && wanted[length] !== unit) length = backs[length - 1] ?? 0
  return wanted[length] === unit ? length + 1 : length
}
