import { type FindText, textFinder } from '@platform/kernel'

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
    .map((part) => ({ find: textFinder(part), length: part.length }))
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
  parts: readonly { find: FindText; length: number }[],
): number | undefined {
  let from = start
  for (const { find, length } of parts) {
    const at = find(text, from)
    if (at < 0) return undefined
    from = at + length
  }
  return from
}
