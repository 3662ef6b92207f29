import type { Aggregation, Bucket } from '../aggregation.ts'
import { bucketsOf } from './compile-terms.ts'
import {
  type Compiled,
  type CompiledAll,
  type Compiling,
  type FoundBucket,
  readWithin,
  within,
} from './compiled.ts'
import { instantOf, spanStart, spansBetween, storeInterval } from './date-spans.ts'
import { DATE_FIELD } from './indexed-document.ts'
import { termsEqual } from './leaves.ts'

type DateHistogram = Extract<Aggregation, { dateHistogram: unknown }>['dateHistogram']

/**
 * Spans of time. Other paths than that of the event's own time are texts: each span is a filter on those that fall
 * into it.
 */
export function compileDates(
  name: string,
  dates: DateHistogram,
  inner: CompiledAll,
  compiling: Compiling,
): Compiled {
  const interval = storeInterval(dates.interval)
  if (dates.path !== DATE_FIELD) return compileTexts(name, dates, inner, compiling)
  return {
    request: {
      [name]: {
        date_histogram: { field: DATE_FIELD, ...interval, min_doc_count: dates.minCount },
        ...within(inner),
      },
    },
    read: (found) => ({
      buckets: bucketsOf(found, name).map((bucket) => bucketOf(Number(bucket.key), bucket, inner)),
    }),
  }
}

const bucketOf = (key: number, bucket: FoundBucket, inner: CompiledAll): Bucket => ({
  key,
  count: bucket.doc_count,
  ...readWithin(inner, bucket),
})

function compileTexts(
  name: string,
  dates: DateHistogram,
  inner: CompiledAll,
  { datesAt }: Compiling,
): Compiled {
  const { path, interval, minCount } = dates
  const spans = spansOf(datesAt.get(path) ?? [], dates)
  const starts = [...spans.keys()].sort((a, b) => a - b)
  const first = starts[0]
  const last = starts.at(-1)
  // Also spans without a text: they are asked with the others, so that the aggregations within them are there too.
  const asked =
    minCount === 1 || first === undefined || last === undefined ? starts : spansBetween(first, last, interval)
  if (asked.length === 0) return { request: {}, read: () => ({ buckets: [] }) }
  const filters = asked.map((start) => ({
    terms: { leaves: (spans.get(start) ?? []).flatMap((text) => termsEqual(path, text)) },
  }))
  return {
    request: { [name]: { filters: { filters }, ...within(inner) } },
    read: (found) => {
      const all = bucketsOf(found, name).map((bucket, index) => bucketOf(asked[index] ?? 0, bucket, inner))
      return { buckets: minCount === 1 ? all.filter(({ count }) => count > 0) : trimmed(all) }
    },
  }
}

function spansOf(texts: readonly string[], { interval }: DateHistogram): Map<number, string[]> {
  const spans = new Map<number, string[]>()
  for (const text of texts) {
    const instant = instantOf(text)
    if (instant === undefined) continue
    const start = spanStart(instant, interval)
    spans.set(start, [...(spans.get(start) ?? []), text])
  }
  return spans
}

/** Without the empty spans before the first and after the last that isn't. */
function trimmed(buckets: Bucket[]): Bucket[] {
  const isFull = ({ count }: Bucket) => count > 0
  const first = buckets.findIndex(isFull)
  return first < 0 ? [] : buckets.slice(first, buckets.findLastIndex(isFull) + 1)
}
