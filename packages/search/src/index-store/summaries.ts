import type { StreamSummary } from '../search.ts'
import type { ShardBudget } from '../search-index.ts'
import { backingIndexes } from './backing-indexes.ts'
import { searchStream } from './search-request.ts'
import { ADMIN_MS, bodyOf, type IndexContext } from './store.ts'
import { allDataStreams, streamOf } from './stream-names.ts'

interface IndexBucket {
  key: string
  doc_count: number
  newest: { value: number | null }
}

/** What each stream holds, as searches see it; streams in the order of their names, after `after`. */
export async function summaries(
  context: IndexContext,
  after: string | undefined,
  limit: number,
): Promise<StreamSummary[]> {
  const { prefix } = context.template
  const backings = await backingIndexes(context, allDataStreams(prefix))
  const byStream = Map.groupBy(backings, ({ dataStream }) => streamOf(prefix, dataStream))
  const names = [...byStream.keys()].sort().filter((name) => after === undefined || name > after)
  const page = names.slice(0, limit)
  const found = await counted(
    context,
    page.flatMap((name) => (byStream.get(name) ?? []).map(({ index }) => index)),
  )
  return page.map((stream) => summaryOf(stream, byStream.get(stream) ?? [], found))
}

function summaryOf(
  stream: string,
  backings: { index: string }[],
  found: Map<string, IndexBucket>,
): StreamSummary {
  const buckets = backings.flatMap(({ index }) => found.get(index) ?? [])
  const newest = Math.max(...buckets.map(({ newest: { value } }) => value ?? Number.NEGATIVE_INFINITY))
  return {
    stream,
    documents: buckets.reduce((sum, { doc_count }) => sum + doc_count, 0),
    newestAt: Number.isFinite(newest) ? new Date(newest) : undefined,
  }
}

async function counted(context: IndexContext, indexes: string[]): Promise<Map<string, IndexBucket>> {
  if (indexes.length === 0) return new Map()
  const result = await searchStream(context, undefined, {
    query: { terms: { _index: indexes } },
    size: 0,
    aggregations: {
      indexes: {
        terms: { field: '_index', size: indexes.length },
        aggregations: { newest: { max: { field: '@timestamp' } } },
      },
    },
  })
  const { buckets } = (result?.aggregations?.indexes ?? { buckets: [] }) as { buckets: IndexBucket[] }
  return new Map(buckets.map((bucket) => [bucket.key, bucket]))
}

/** Shards of the whole cluster, and how many its nodes may have together: 1000 a node, unless a setting says more. */
export async function shardBudget({ store }: IndexContext): Promise<ShardBudget> {
  const get = <Body>(path: string, query = {}) =>
    store<Body>({ method: 'GET', path, query, timeoutMs: ADMIN_MS })
  const [health, settings] = await Promise.all([
    get<Record<string, number>>('/_cluster/health'),
    get<Record<string, { cluster?: { max_shards_per_node?: string } }>>('/_cluster/settings', {
      include_defaults: true,
      filter_path: '*.cluster.max_shards_per_node',
    }),
  ])
  const {
    active_shards = 0,
    initializing_shards = 0,
    unassigned_shards = 0,
    number_of_data_nodes = 1,
  } = bodyOf(health)
  const { transient, persistent, defaults } = bodyOf(settings)
  const perNode = [transient, persistent, defaults]
    .map((layer) => layer?.cluster?.max_shards_per_node)
    .find(Boolean)
  return {
    shards: active_shards + initializing_shards + unassigned_shards,
    max: Number(perNode ?? 1000) * Math.max(1, number_of_data_nodes),
  }
}
