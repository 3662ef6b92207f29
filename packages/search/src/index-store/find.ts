import { isUuid, uuidv7Ms } from '@platform/kernel'
import { SearchError, type SearchQuery } from '../search.ts'
import { eventOf } from './indexed-document.ts'
import { type Hit, searchStream, WINDOW_MAX } from './search-request.ts'
import { type IndexContext, SEARCH_MS } from './store.ts'
import { allOf, type Query, toQuery } from './to-query.ts'

/** The documents that fulfil a filter, in the order of the log. */
export async function find(
  context: IndexContext,
  stream: string,
  query: SearchQuery,
): Promise<Record<string, unknown>[]> {
  const { filter, sort, limit, page = 0 } = query
  const conditions = [
    ...(filter === undefined ? [] : [toQuery(filter)]),
    ...(await boundary(context, stream, query.beforeId, { operator: 'lt', step: 1 })),
    ...(await boundary(context, stream, query.afterId, { operator: 'gt', step: 0 })),
  ]
  const stretch: Stretch = { stream, query: allOf(conditions), sort, offset: page * limit }
  const hits = await readAt(context, stretch, limit)
  return hits.map(({ _source }) => eventOf(_source))
}

interface Stretch {
  stream: string
  query: Query
  sort: 'asc' | 'desc'
  offset: number
}

/** Deeper than one request may look, the documents before are stepped over in large strides. */
async function readAt(context: IndexContext, stretch: Stretch, limit: number): Promise<Hit[]> {
  let { offset } = stretch
  if (offset + limit <= WINDOW_MAX) return await readSome(context, stretch, limit, { from: offset })
  const endsAt = performance.now() + SEARCH_MS
  let after: unknown[] | undefined
  while (offset > 0) {
    // Each stride has its own deadline; the caller of a page that takes hundreds of them no longer waits.
    if (performance.now() > endsAt) throw tooLate()
    const stride = Math.min(offset, WINDOW_MAX)
    const passed = await readSome(context, stretch, stride, { _source: false, ...following(after) })
    if (passed.length < stride) return []
    after = passed.at(-1)?.sort
    offset -= stride
  }
  return await readSome(context, stretch, limit, following(after))
}

const tooLate = () =>
  new SearchError('The search store did not finish in time.', { unavailable: true, code: 'TIMEOUT' })

const following = (after: unknown[] | undefined): object =>
  after === undefined ? {} : { search_after: after }

async function readSome(
  context: IndexContext,
  { stream, query, sort }: Stretch,
  size: number,
  others: object,
): Promise<Hit[]> {
  const order = [{ sequence: { order: sort, unmapped_type: 'long' } }]
  const found = await searchStream(context, stream, { query, sort: order, size, ...others })
  return found?.hits.hits ?? []
}

/**
 * The documents on one side of another one; of one that isn't there (any more), of the place where its time would
 * have put it.
 */
async function boundary(
  context: IndexContext,
  stream: string,
  id: string | undefined,
  { operator, step }: { operator: 'lt' | 'gt'; step: number },
): Promise<Query[]> {
  if (id === undefined) return []
  const place = await placeOf(context, stream, id, step)
  return [{ range: { sequence: { [operator]: place } } }]
}

async function placeOf(context: IndexContext, stream: string, id: string, step: number): Promise<number> {
  const newest = async (query: Query) => {
    const found = await searchStream(context, stream, {
      query,
      sort: [{ sequence: { order: 'desc', unmapped_type: 'long' } }],
      size: 1,
      _source: ['sequence', 'id', '@timestamp'],
    })
    return found?.hits.hits[0]?._source.sequence
  }
  const itself = await newest({ ids: { values: [id] } })
  if (itself !== undefined) return itself
  if (!isUuid(id) || id[14] !== '7') return 0
  // Ids begin with their time: the other bound keeps the look at ids short.
  const older = await newest(allOf([{ range: { id: { lt: id } } }, upTo(uuidv7Ms(id))]))
  return older === undefined ? 0 : older + step
}

const DAY_MS = 86_400_000

/** An event is stamped when it is accepted, its id may be the client's own: a day apart at most. */
const upTo = (ms: number): Query => ({
  range: { '@timestamp': { lte: new Date(ms + DAY_MS).toISOString() } },
})
