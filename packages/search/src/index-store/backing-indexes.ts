import { ADMIN_MS, bodyOf, type IndexContext } from './store.ts'
import { backingOf, backingsPattern } from './stream-names.ts'

export interface BackingIndex {
  index: string
  dataStream: string
  generation: number
  /** Of the largest primary shard, in bytes. */
  primaryBytes: number
}

/** The backing indexes of a data stream or, by a name with `*`, of several; by stream, the oldest first. */
export async function backingIndexes(context: IndexContext, dataStream: string): Promise<BackingIndex[]> {
  const response = await context.store<{ index: string; prirep: string; store: string | null }[]>({
    method: 'GET',
    path: `/_cat/shards/${encodeURIComponent(backingsPattern(dataStream))}`,
    query: { format: 'json', h: 'index,prirep,store', bytes: 'b' },
    timeoutMs: ADMIN_MS,
  })
  if (response.status === 404) return []
  const found = new Map<string, BackingIndex>()
  for (const { index, prirep, store } of bodyOf(response)) {
    const backing = backingOf(index)
    if (backing === undefined || prirep !== 'p') continue
    const primaryBytes = Math.max(found.get(index)?.primaryBytes ?? 0, Number(store ?? 0))
    found.set(index, { index, ...backing, primaryBytes })
  }
  // A pattern may find streams whose names only begin alike.
  const isWanted = dataStream.endsWith('*')
    ? () => true
    : (each: BackingIndex) => each.dataStream === dataStream
  return [...found.values()].filter(isWanted).sort(inOrder)
}

const inOrder = (a: BackingIndex, b: BackingIndex): number =>
  a.dataStream === b.dataStream ? a.generation - b.generation : a.dataStream < b.dataStream ? -1 : 1
