import { exposeReadings, type Reading } from '@platform/http'
import type { Log, SearchIndex, ShardBudget } from '@platform/search'
import { inTime } from './in-time.ts'
import type { IndexCounts } from './index-counts.ts'
import { behind } from './index-status.ts'
import type { IndexRecord, IndexStore } from './index-store.ts'

const SHARDS_MS = 900

interface Sources {
  log: Pick<Log, 'lastSequence' | 'readAfter'>
  index: Pick<SearchIndex, 'shardBudget'>
  store: Pick<IndexStore, 'find'>
  counts: IndexCounts
}

type Read = () => Reading[] | Promise<Reading[]>
type Name = `platform_search_${string}`

/** Shows how the index stands to the log and who answers readers, until disposed. */
export function exposeIndex(sources: Sources): Disposable {
  const stack = new DisposableStack()
  stack.use(exposeCounts(sources.counts))
  stack.use(exposeState(sources))
  stack.use(exposeShards(sources.index))
  return stack
}

function exposeCounts(counts: IndexCounts): Disposable {
  const stack = new DisposableStack()
  const counter = (name: Name, help: string, read: Read) =>
    stack.use(exposeReadings({ name, help, type: 'counter' }, read))
  counter('platform_search_indexed_total', 'Events copied into the search index.', () => [
    plain(counts.indexed),
  ])
  counter('platform_search_rejected_total', 'Events the search index refused.', () => [
    plain(counts.rejected),
  ])
  counter('platform_search_answers_total', 'Reads by who answered, and why the log did.', () =>
    answersOf(counts),
  )
  return stack
}

/** Every process shows the same of these: they are the cluster's, not its own. */
function exposeState({ log, store }: Sources): Disposable {
  const stack = new DisposableStack()
  const gauge = (name: Name, help: string, read: (record: IndexRecord) => number | Promise<number>) =>
    stack.use(
      exposeReadings({ name, help, type: 'gauge' }, async () => {
        const record = await store.find()
        return record === undefined ? [] : [plain(await read(record))]
      }),
    )
  gauge(
    'platform_search_index_behind_events',
    'Events the index has yet to take, at most.',
    async (record) => (await behind(log, record)).events,
  )
  gauge(
    'platform_search_index_behind_seconds',
    'Age of the oldest event the index has yet to take.',
    async (record) => (await behind(log, record)).seconds,
  )
  gauge(
    'platform_search_index_ready',
    '1 when the index is built, 0 while it is being built.',
    ({ stage }) => (stage === 'ready' ? 1 : 0),
  )
  gauge(
    'platform_search_build_ratio',
    'How much of the log the build of the index has copied, 0 to 1.',
    progressOf,
  )
  return stack
}

function exposeShards(index: Pick<SearchIndex, 'shardBudget'>): Disposable {
  const stack = new DisposableStack()
  const gauge = (name: Name, help: string, read: (budget: ShardBudget) => number) =>
    stack.use(
      exposeReadings({ name, help, type: 'gauge' }, async () => [
        plain(read(await inTime(SHARDS_MS, index.shardBudget()))),
      ]),
    )
  gauge('platform_search_shards', 'Shards of the search store.', ({ shards }) => shards)
  gauge('platform_search_shards_max', 'Shards the search store may have.', ({ max }) => max)
  return stack
}

const plain = (value: number): Reading => ({ labels: {}, value })

/** Sequences have gaps, so the position in the log says more than the number of documents. */
const progressOf = ({ stage, cursor, total }: IndexRecord): number => {
  if (stage === 'ready' || stage === 'comparing' || total === 0) return 1
  return Math.min(1, cursor / total)
}

const answersOf = ({ answeredByIndex, answeredByLog }: IndexCounts): Reading[] => [
  { labels: { by: 'index', reason: 'well' }, value: answeredByIndex },
  ...Object.entries(answeredByLog).map(([reason, value]) => ({ labels: { by: 'log', reason }, value })),
]
