import { findMatches, type Options, replaceMatches, type WrittenPattern } from '@platform/expressions'
import type { FunctionsOf } from '../module.ts'
import { parseUrl } from './parse-url.ts'
import { applyPatch, diff } from './patches.ts'
import { splitText } from './split-text.ts'

/** `text`. Nothing of it is kept: a run that is done again computes the same. */
export const textFunctions: FunctionsOf<'text'> = {
  parseUrl,
  splitText,
  search: (given, { frame }) => searchText(given, frame.run.options),
  substitute: (given, { frame }) => substitute(given, frame.run.options),
  diff,
  applyPatch,
}

interface Wanted {
  readonly query?: string | undefined
  readonly pattern?: string | undefined
  readonly flags?: string | undefined
  readonly caseSensitive?: boolean | undefined
}

const MOST = 100
/** Of substitutions; more would take longer than a text may. */
const MOST_REPLACED = 100_000

/** Each match with its place. */
function searchText(
  {
    content,
    limit = MOST,
    ...wanted
  }: Wanted & { readonly content: string; readonly limit?: number | undefined },
  options: Options,
) {
  let line = 1
  let at = 0
  return findMatches(content, patternOf(wanted), limit, options).map(({ start, end, groups }) => {
    for (
      let next = content.indexOf('\n', at);
      next !== -1 && next < start;
      next = content.indexOf('\n', at)
    ) {
      line += 1
      at = next + 1
    }
    return { text: content.slice(start, end), index: start, line, groups: groups.slice(1) }
  })
}

/** The text with what was found replaced. */
function substitute(
  {
    content,
    replacement,
    all = true,
    ...wanted
  }: Wanted & { readonly content: string; readonly replacement: string; readonly all?: boolean | undefined },
  options: Options,
): { content: string; count: number } {
  const pattern = patternOf(wanted)
  const by = wanted.pattern === undefined ? replacement.replaceAll('$', '$\u0000') : replacement
  const found = findMatches(content, pattern, all ? MOST_REPLACED : 1, options)
  const last = found.at(-1)
  if (last === undefined) return { content, count: 0 }
  const upTo = all ? content.length : last.end
  const replaced = replaceMatches(content.slice(0, upTo), pattern, by, options)
  return { content: unescaped(replaced, wanted) + content.slice(upTo), count: found.length }
}

/** A `$` that stands for itself was kept apart from those that stand for groups. */
const unescaped = (text: string, { pattern }: Wanted): string =>
  pattern === undefined ? text.replaceAll('$\u0000', '$') : text

function patternOf({ query, pattern, flags = '', caseSensitive = true }: Wanted): WrittenPattern {
  const source = pattern ?? escaped(query ?? '')
  return { source, flags: caseSensitive || flags.includes('i') ? flags : `${flags}i` }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
