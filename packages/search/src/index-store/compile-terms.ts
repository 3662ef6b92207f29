import { byCodePoints } from '@platform/kernel'
import { type Aggregation, type Bucket, DISTINCT_MAX } from '../aggregation.ts'
import { isStorable } from '../filter.ts'
import {
  type Compiled,
  type CompiledAll,
  type Found,
  type FoundBucket,
  readWithin,
  within,
} from './compiled.ts'
import { NUMBER_FIELDS, TEXT_FIELDS } from './indexed-document.ts'
import { orderedNumber, type Sign, termsBegin } from './leaves.ts'
import { tooManyValues } from './store.ts'

type Terms = Extract<Aggregation, { terms: unknown }>['terms']

const orders = { count: [{ _count: 'desc' }, { _key: 'asc' }], key: [{ _key: 'asc' }] }

/** The values of a path. Texts, and what looks like a number, are asked for separately: no value is in both. */
export function compileTerms(name: string, terms: Terms, inner: CompiledAll): Compiled {
  const { path, size, order } = terms
  const parts = sourcesOf(path)
  const request = Object.fromEntries(
    parts.map(({ source }, index) => [
      `${name}.${index}`,
      {
        terms: { ...source, size, shard_size: Math.max(size, DISTINCT_MAX), order: orders[order] },
        ...within(inner),
      },
    ]),
  )
  return {
    request,
    read: (found) => {
      const all = parts.flatMap(({ begin }, index) =>
        bucketsOf(found, `${name}.${index}`).map((bucket) => ({
          key: String(bucket.key).slice(begin.length),
          bucket,
        })),
      )
      all.sort(
        (a, b) =>
          (order === 'count' ? b.bucket.doc_count - a.bucket.doc_count : 0) || byCodePoints(a.key, b.key),
      )
      const left = parts.reduce(
        (sum, _, index) => sum + (found[`${name}.${index}`]?.sum_other_doc_count ?? 0),
        0,
      )
      const cut = all.slice(size).reduce((sum, { bucket }) => sum + bucket.doc_count, 0)
      const buckets: Bucket[] = all
        .slice(0, size)
        .map(({ key, bucket }) => ({ key, count: bucket.doc_count, ...readWithin(inner, bucket) }))
      return { buckets, otherCount: left + cut }
    },
  }
}

/** How many different values there are. */
export function compileCardinality(name: string, path: string): Compiled {
  const parts = sourcesOf(path)
  return {
    request: Object.fromEntries(
      parts.map(({ source }, index) => [
        `${name}.${index}`,
        { terms: { ...source, size: DISTINCT_MAX + 1 } },
      ]),
    ),
    read: (found) => {
      const value = parts.reduce((sum, _, index) => sum + bucketsOf(found, `${name}.${index}`).length, 0)
      if (value > DISTINCT_MAX) throw tooManyValues(`at ${path}`)
      return { value }
    },
  }
}

/** A number over the numbers at a path; each different number of a document counts once. */
export function compileMetric(name: string, metric: 'sum' | 'avg' | 'min' | 'max', path: string): Compiled {
  if (NUMBER_FIELDS.has(path)) {
    return {
      request: { [name]: { [metric]: { field: path } } },
      read: (found) => ({ value: found[name]?.value ?? null }),
    }
  }
  const isEdge = metric === 'min' || metric === 'max'
  const size = isEdge ? 1 : DISTINCT_MAX + 1
  const order = { _key: metric === 'max' ? 'desc' : 'asc' }
  const { source, begin } = leafSource(path, '#')
  return {
    request: { [name]: { terms: { ...source, size, order } } },
    read: (found) => {
      const numbers = bucketsOf(found, name).map(({ key, doc_count }) => ({
        value: orderedNumber(String(key).slice(begin.length)),
        count: doc_count,
      }))
      if (!isEdge && numbers.length > DISTINCT_MAX) throw tooManyValues(`at ${path}`)
      return { value: metricOf(metric, numbers) }
    },
  }
}

function metricOf(
  metric: 'sum' | 'avg' | 'min' | 'max',
  numbers: { value: number; count: number }[],
): number | null {
  const sum = numbers.reduce((total, { value, count }) => total + value * count, 0)
  if (metric === 'sum') return sum
  const count = numbers.reduce((total, each) => total + each.count, 0)
  if (count === 0) return null
  return metric === 'avg' ? sum / count : (numbers[0]?.value ?? null)
}

export const bucketsOf = (found: Found, name: string): FoundBucket[] => found[name]?.buckets ?? []

interface Source {
  source: object
  /** What stands before the value in a key. */
  begin: string
}

const sourcesOf = (path: string): Source[] =>
  TEXT_FIELDS.has(path)
    ? [{ source: { field: path }, begin: '' }]
    : [leafSource(path, '$'), leafSource(path, '=')]

/** The terms of one kind at a path; `rest` is a pattern of what follows. */
export function leafSource(path: string, sign: Sign, rest = '.*'): Source {
  const begin = isStorable(path) ? termsBegin(path, sign) : ''
  const include = begin === '' ? escapePattern('\u0001') : `${escapePattern(begin)}${rest}`
  return { source: { field: 'leaves', include }, begin }
}

/** In the patterns of Lucene. A dot of it matches any character, a line break too. */
const escapePattern = (text: string): string => text.replace(/[.?+*|{}[\]()"\\#@&<>~^$-]/g, '\\$&')
