import { byCodePoints } from '@platform/kernel'
import { AskedDocument } from './asked-document.ts'
import { type Filter, keysOf, type Scalar, textOf } from './filter.ts'
import { patternOf } from './pattern.ts'
import { wantedIn } from './words.ts'

/** A filter that is ready to be asked, of any number of documents. */
export type Condition = (asked: AskedDocument) => boolean

type AtPath = Extract<Filter, { path: string }>
type Bounds = Extract<Filter, { above?: unknown }>

/**
 * What a filter means, worked out once. It gives the same result as PostgreSQL for `toSql(filter)` and an index for
 * its own form, in a time that grows with the document and the filter added, not multiplied.
 */
export function compileFilter(filter: Filter): Condition {
  if ('all' in filter) {
    const parts = filter.all.map(compileFilter)
    return (asked) => parts.every((part) => part(asked))
  }
  if ('any' in filter) {
    const parts = filter.any.map(compileFilter)
    return (asked) => parts.some((part) => part(asked))
  }
  if ('not' in filter) {
    const part = compileFilter(filter.not)
    return (asked) => !part(asked)
  }
  if ('text' in filter) {
    const wanted = wantedIn(filter.text)
    return (asked) =>
      wanted.every(
        ({ word, runs }) =>
          asked.hasWord(word) || (runs.length > 0 && runs.every((run) => asked.hasWord(run))),
      )
  }
  return atPath(filter, keysOf(filter.path))
}

function atPath(filter: AtPath, keys: readonly string[]): Condition {
  const { path } = filter
  if ('missing' in filter) return (asked) => asked.isMissing(path, keys)
  if ('in' in filter) {
    const wanted = [...new Set(filter.in.map(textOf))]
    return (asked) => {
      const texts = asked.textsAt(path, keys)
      return wanted.some((text) => texts.has(text))
    }
  }
  if ('like' in filter) {
    const isLike = patternOf(filter.like)
    const name = JSON.stringify([path, filter.like])
    return (asked) => asked.isLikeAt(path, keys, name, isLike)
  }
  return (asked) => asked.scalarsAt(path, keys).some((value) => isWithin(value, filter))
}

/** Numbers compare with numbers and texts with texts, by code points; anything else is outside. */
function isWithin(value: Scalar, { above, below, atLeast, atMost }: Bounds): boolean {
  return (
    (above === undefined || order(value, above) > 0) &&
    (below === undefined || order(value, below) < 0) &&
    (atLeast === undefined || order(value, atLeast) >= 0) &&
    (atMost === undefined || order(value, atMost) <= 0)
  )
}

function order(value: Scalar, bound: string | number): number {
  if (typeof value === 'number' && typeof bound === 'number') return value - bound
  if (typeof value === 'string' && typeof bound === 'string') return byCodePoints(value, bound)
  return Number.NaN
}

/**
 * True when a document fulfils a filter. Who asks more than once compiles the filter, and asks many filters of one
 * document.
 */
export const matches = (filter: Filter, document: unknown): boolean =>
  compileFilter(filter)(new AskedDocument(document))
