import {
  type Analysis,
  type Log,
  type Search,
  SearchError,
  type SearchIndex,
  UNREACHABLE,
} from '@platform/search'
import type { FreshStreams } from './fresh-streams.ts'
import { inTime } from './in-time.ts'
import type { IndexCounts, LogReason } from './index-counts.ts'
import type { IndexTrust } from './index-trust.ts'
import type { LostStreams } from './lost-streams.ts'

/** A page of the feed that takes longer is asked of the log: its reader waits already. */
const FIND_MS = 1500
/** Analyses may take 5 s; the log, asked afterwards, takes as long at most. */
const ANALYSE_MS = 5500

interface Deps {
  log: Log
  index: SearchIndex
  trust: Pick<IndexTrust, 'reasonAgainst' | 'failed' | 'doubt'>
  fresh: Pick<FreshStreams, 'refresh'>
  lost: Pick<LostStreams, 'has'>
  counts: IndexCounts
}

type Ask<T> = (search: Search) => Promise<T>

/** How long an answer of the index is waited for, and which one may be wrong because the stream is not there. */
interface Expected<T> {
  timeoutMs: number
  isEmpty: (response: T) => boolean
}

const LOST = 'LOST_STREAM'

const isNothing = ({ documents, total }: Analysis): boolean =>
  documents.length === 0 && (total === undefined || total === 0)

/** The index while it is well and complete, else the log: readers never notice that the index is away. */
export function searchOf(deps: Deps): Search {
  return {
    driver: deps.index.driver,
    find: (stream, query) =>
      either(deps, stream, { timeoutMs: FIND_MS, isEmpty: ({ length }) => length === 0 }, (search) =>
        search.find(stream, query),
      ),
    analyse: (stream, query) =>
      either(deps, stream, { timeoutMs: ANALYSE_MS, isEmpty: isNothing }, (search) =>
        search.analyse(stream, query),
      ),
    probe: (signal) => deps.index.probe(signal),
  }
}

async function either<T>(
  deps: Deps,
  stream: string | undefined,
  expected: Expected<T>,
  ask: Ask<T>,
): Promise<T> {
  const reason = await deps.trust.reasonAgainst(stream)
  if (reason !== undefined) return await askLog(deps, reason, ask)
  try {
    const response = await inTime(expected.timeoutMs, askIndex(deps, stream, expected, ask))
    deps.counts.answeredByIndex += 1
    return response
  } catch (error) {
    return await askLog(deps, reasonOf(error, stream, deps), ask)
  }
}

async function askIndex<T>(
  { index, fresh, lost }: Deps,
  stream: string | undefined,
  { isEmpty }: Expected<T>,
  ask: Ask<T>,
): Promise<T> {
  if (stream === undefined) return await ask(index)
  await fresh.refresh(stream)
  const response = await ask(index)
  if (!isEmpty(response) || !(await lost.has(stream))) return response
  throw new SearchError('The index has lost the stream.', { unavailable: true, code: LOST })
}

async function askLog<T>({ log, counts }: Deps, reason: LogReason, ask: Ask<T>): Promise<T> {
  counts.answeredByLog[reason] += 1
  return await ask(log)
}

/** Throws what the log would say as well. */
function reasonOf(error: unknown, stream: string | undefined, { trust }: Deps): LogReason {
  if (!(error instanceof SearchError) || error.code === 'TOO_MANY_VALUES') throw error
  if (!error.unavailable) return 'unsupported'
  if (error.code === LOST) return 'lost'
  if (error.code === UNREACHABLE) {
    trust.failed()
    return 'away'
  }
  // Too slow, too large or refused: that may be the question. A question of our own finds out whether it is the store.
  trust.doubt(stream)
  return 'failed'
}
