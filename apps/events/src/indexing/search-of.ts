import { type Log, type Search, SearchError, type SearchIndex } from '@platform/search'
import type { FreshStreams } from './fresh-streams.ts'
import { inTime, LATE } from './in-time.ts'
import type { IndexCounts, LogReason } from './index-counts.ts'
import type { IndexTrust } from './index-trust.ts'

/** A page of the feed that takes longer is asked of the log: its reader waits already. */
const FIND_MS = 1500
/** Analyses may take 5 s; the log, asked afterwards, takes as long at most. */
const ANALYSE_MS = 5500

interface Deps {
  log: Log
  index: SearchIndex
  trust: Pick<IndexTrust, 'reasonAgainst' | 'failed' | 'doubt'>
  fresh: Pick<FreshStreams, 'refresh'>
  counts: IndexCounts
}

type Ask<T> = (search: Search) => Promise<T>

/** The index while it is well and complete, else the log: readers never notice that the index is away. */
export function searchOf(deps: Deps): Search {
  return {
    driver: deps.index.driver,
    find: (stream, query) => either(deps, stream, FIND_MS, (search) => search.find(stream, query)),
    analyse: (stream, query) => either(deps, stream, ANALYSE_MS, (search) => search.analyse(stream, query)),
    probe: (signal) => deps.index.probe(signal),
  }
}

async function either<T>(deps: Deps, stream: string | undefined, timeoutMs: number, ask: Ask<T>): Promise<T> {
  const reason = await deps.trust.reasonAgainst(stream)
  if (reason !== undefined) return await askLog(deps, reason, ask)
  try {
    const answer = await inTime(timeoutMs, askIndex(deps, stream, ask))
    deps.counts.answeredByIndex += 1
    return answer
  } catch (error) {
    return await askLog(deps, reasonOf(error, deps), ask)
  }
}

async function askIndex<T>({ index, fresh }: Deps, stream: string | undefined, ask: Ask<T>): Promise<T> {
  if (stream !== undefined) await fresh.refresh(stream)
  return await ask(index)
}

async function askLog<T>({ log, counts }: Deps, reason: LogReason, ask: Ask<T>): Promise<T> {
  counts.answeredByLog[reason] += 1
  return await ask(log)
}

/** Throws what the log would say as well. */
function reasonOf(error: unknown, { trust }: Deps): LogReason {
  if (!(error instanceof SearchError) || error.code === 'TOO_MANY_VALUES') throw error
  if (!error.unavailable) return 'unsupported'
  if (error.code === LATE) trust.doubt()
  else trust.failed()
  return 'away'
}
