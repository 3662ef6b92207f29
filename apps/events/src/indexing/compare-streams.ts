import { MINUTE_MS } from '@platform/kernel'
import type { Filter, Log, Search, SearchIndex } from '@platform/search'

const PAGE = 1000
/** Younger events may be on their way into the index. */
export const SETTLED_MS = MINUTE_MS

interface Stores {
  log: Pick<Log, 'counts' | 'analyse'>
  index: Pick<SearchIndex, 'counts' | 'refresh' | 'analyse'>
}

/** Names the streams of which the index has other documents than the log, as far as their numbers show. */
export async function differingStreams(
  { log, index }: Stores,
  now: Date,
  signal: AbortSignal,
): Promise<string[]> {
  // The index first: it never has what the log did not have before.
  const inIndex = await allCounts(index, signal)
  const inLog = await allCounts(log, signal)
  const differing: string[] = []
  for (const stream of new Set([...inLog.keys(), ...inIndex.keys()])) {
    signal.throwIfAborted()
    if (inLog.get(stream) === inIndex.get(stream)) continue
    if (await differs({ log, index }, stream, now)) differing.push(stream)
  }
  return differing
}

/** Looks twice at a stream that is written to: only what is older than a minute must be in both. */
async function differs({ log, index }: Stores, stream: string, now: Date): Promise<boolean> {
  const settled: Filter = { path: 'createdAt', below: new Date(now.getTime() - SETTLED_MS).toISOString() }
  await index.refresh(stream)
  const indexed = await countOf(index, stream, settled)
  const logged = await countOf(log, stream, settled)
  return indexed !== logged
}

async function countOf(
  search: Pick<Search, 'analyse'>,
  stream: string,
  filter: Filter,
): Promise<number | undefined> {
  const { total } = await search.analyse(stream, {
    filter,
    aggregations: {},
    limit: 0,
    offset: 0,
    sort: [],
    countAll: true,
  })
  return total
}

async function allCounts(store: Pick<Log, 'counts'>, signal: AbortSignal): Promise<Map<string, number>> {
  const all = new Map<string, number>()
  let after: string | undefined
  for (;;) {
    signal.throwIfAborted()
    const page = await store.counts(after, PAGE)
    for (const { stream, documents } of page) if (documents > 0) all.set(stream, documents)
    after = page.at(-1)?.stream
    if (page.length < PAGE) return all
  }
}
