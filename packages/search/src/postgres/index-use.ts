import type { Filter } from '../filter.ts'
import { wordsOf } from '../words.ts'

/**
 * True when an index other than the order of the log finds what a filter means, and may find little. One type alone
 * is no such filter: its index keeps the order.
 */
export const isRareWithIndex = (filter: Filter): boolean => {
  const parts = conjunctsOf(filter)
  return parts.some((part) => hasIndex(part) && !isOneType(part))
}

const conjunctsOf = (filter: Filter): Filter[] =>
  'all' in filter ? filter.all.flatMap(conjunctsOf) : onlyOf(filter)

/** "Any" of one is that one. */
function onlyOf(filter: Filter): Filter[] {
  const [only, ...others] = 'any' in filter ? filter.any : []
  return only === undefined || others.length > 0 ? [filter] : conjunctsOf(only)
}

const isOneType = (filter: Filter): boolean =>
  'path' in filter && filter.path === 'type' && 'in' in filter && filter.in.length === 1

function hasIndex(filter: Filter): boolean {
  if ('all' in filter) return filter.all.some(hasIndex)
  if ('any' in filter) return filter.any.every(hasIndex)
  if ('text' in filter) return wordsOf(filter.text).length > 0
  return 'in' in filter && filter.path !== 'createdAt'
}
