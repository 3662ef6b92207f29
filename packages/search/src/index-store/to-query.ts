import { byCodePoints } from '@platform/kernel'
import { type Filter, isStorable, textOf } from '../filter.ts'
import { wantedIn } from '../words.ts'
import {
  comparable,
  orderedText,
  termOfNull,
  termOfPresence,
  termsBegin,
  termsEnd,
  termsEqual,
} from './leaves.ts'

/** A query of the store's language. */
export type Query = Record<string, unknown>

type Condition = Extract<Filter, { path: string }>
type Bounds = Extract<Filter, { above?: unknown }>

const everything: Query = { match_all: {} }
const nothing: Query = { match_none: {} }

export const allOf = (queries: Query[]): Query =>
  queries.length === 0 ? everything : { bool: { filter: queries } }
const anyOf = (queries: Query[]): Query =>
  queries.length === 0 ? nothing : { bool: { should: queries, minimum_should_match: 1 } }
const noneOf = (query: Query): Query => ({ bool: { must_not: [query] } })

/**
 * The query of a filter; finds the documents of which `matches` says true. Every text of the filter stands in it as a
 * value.
 */
export function toQuery(filter: Filter): Query {
  if ('all' in filter) return allOf(filter.all.map(toQuery))
  if ('any' in filter) return anyOf(filter.any.map(toQuery))
  if ('not' in filter) return noneOf(toQuery(filter.not))
  if ('text' in filter) return hasWords(filter.text)
  if (!isStorable(filter.path)) return 'missing' in filter ? everything : nothing
  return atPath(filter)
}

function atPath(filter: Condition): Query {
  const { path } = filter
  if ('missing' in filter) return noneOf({ term: { leaves: termOfPresence(path) } })
  if ('in' in filter) return equalsOneOf(path, filter.in.map(textOf))
  if ('like' in filter) return isLike(path, filter.like)
  return isWithin(path, filter)
}

function equalsOneOf(path: string, texts: string[]): Query {
  const terms = texts.flatMap((text) => termsEqual(path, text))
  return terms.length === 0 ? nothing : { terms: { leaves: terms } }
}

function isLike(path: string, pattern: string): Query {
  if (!isStorable(pattern)) return nothing
  if (!pattern.includes('*')) return equalsOneOf(path, [pattern])
  const wildcards = (['$', '='] as const).map((sign) => ({
    wildcard: { leaves: { value: escapeWildcards(termsBegin(path, sign)) + toWildcards(pattern) } },
  }))
  // Its text form is "null".
  const isNull = isLikeNull(pattern) ? [{ term: { leaves: termOfNull(path) } }] : []
  return anyOf([...wildcards, ...isNull])
}

const escapeWildcards = (text: string): string => text.replace(/[\\*?]/g, '\\$&')
const toWildcards = (pattern: string): string => pattern.split(/\*+/).map(escapeWildcards).join('*')

const isLikeNull = (pattern: string): boolean => {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test('null')
}

function isWithin(path: string, { above, below, atLeast, atMost }: Bounds): Query {
  const bounds = { gt: above, lt: below, gte: atLeast, lte: atMost }
  const given = Object.entries(bounds).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  )
  if (given.length === 0) return isLike(path, '*')
  const isEvery = (type: string) => given.every(({ value }) => typeof value === type)
  if (isEvery('number')) return inRange(path, '#', given)
  if (!isEvery('string') || !given.every(({ value }) => isStorable(String(value)))) return nothing
  if (path === 'createdAt' && given.every(({ value }) => isInstant(String(value))))
    return { range: { createdAt: Object.fromEntries(given.map(({ name, value }) => [name, value])) } }
  return anyOf([inRange(path, '$', given), inRange(path, '"', given)])
}

/** All terms of one kind at the path, narrowed by the bounds. */
function inRange(
  path: string,
  sign: '#' | '$' | '"',
  given: { name: string; value: string | number }[],
): Query {
  const begin = termsBegin(path, sign)
  const narrowed = given.map(({ name, value }) => {
    const text = typeof value === 'number' ? orderedText(value) : comparable(value)
    return { range: { leaves: { [name]: begin + text } } }
  })
  const kind = { range: { leaves: { gte: begin, lt: termsEnd(begin) } } }
  if (narrowed.length === 0) return kind
  return oneRange([kind, ...narrowed])
}

/** One range for all bounds, so that one value fulfils them all; the narrower of two bounds on a side counts. */
function oneRange(ranges: { range: { leaves: Record<string, string> } }[]): Query {
  const bounds = ranges.flatMap(({ range }) => Object.entries(range.leaves))
  const side = (names: [string, string], sign: 1 | -1) =>
    bounds
      .filter(([name]) => names.includes(name))
      .sort(
        ([nameA, a], [nameB, b]) =>
          sign * byCodePoints(a, b) || Number(nameB === names[0]) - Number(nameA === names[0]),
      )
      .slice(0, 1)
  const lower = side(['gt', 'gte'], -1)
  const upper = side(['lt', 'lte'], 1)
  return { range: { leaves: Object.fromEntries([...lower, ...upper]) } }
}

/** As events write their time; other texts are compared as texts. */
const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))

/** Each word of the text is the beginning of a word of the document. */
const hasWords = (text: string): Query =>
  allOf(
    wantedIn(text).map(({ word, runs }) =>
      runs.length === 0 ? hasPrefix(word) : anyOf([hasPrefix(word), allOf(runs.map(hasPrefix))]),
    ),
  )

const hasPrefix = (word: string): Query => ({ prefix: { words: { value: word } } })
