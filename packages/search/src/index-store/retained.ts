import { lowestUuidv7 } from '@platform/kernel'
import { SearchError } from '../search.ts'
import { backingIndexes } from './backing-indexes.ts'
import { type DataStreams, isNoSuchRequest } from './data-streams.ts'
import { ADMIN_MS, bodyOf, type IndexContext, SLOW_MS } from './store.ts'
import { dataStreamOf } from './stream-names.ts'
import type { Query } from './to-query.ts'

/** Deletes documents with ids older than `before`, at most `limit`; returns how many. */
export async function deleteBefore(
  context: IndexContext,
  stream: string,
  before: Date,
  limit: number,
): Promise<number> {
  const dataStream = dataStreamOf(context.template.prefix, stream)
  if (dataStream === undefined) return 0
  return await deleteBy(context, dataStream, { range: { id: { lt: lowestUuidv7(before.getTime()) } } }, limit)
}

async function deleteBy(
  { store }: IndexContext,
  target: string,
  query: Query,
  limit: number,
): Promise<number> {
  const response = await store<{ deleted: number; failures: unknown[] }>({
    method: 'POST',
    path: `/${target}/_delete_by_query`,
    query: { conflicts: 'proceed', refresh: true, ignore_unavailable: true, max_docs: limit },
    body: { query },
    timeoutMs: SLOW_MS,
  })
  if (response.status === 404) return 0
  const { deleted, failures } = bodyOf(response)
  if (failures.length === 0) return deleted
  const message = `The search store could not delete ${failures.length} documents of ${target}.`
  throw new SearchError(message, { unavailable: true })
}

/** Deletes a stream with all its backing indexes and its own template, if it has one. */
export async function deleteStream(
  context: IndexContext,
  dataStreams: DataStreams,
  stream: string,
): Promise<void> {
  const dataStream = dataStreamOf(context.template.prefix, stream)
  if (dataStream === undefined) return
  const remove = (path: string) => context.store({ method: 'DELETE', path, timeoutMs: ADMIN_MS })
  const response = await remove(`/_data_stream/${dataStream}`)
  if (isNoSuchRequest(response.status, response.body)) await empty(context, dataStream)
  else bodyOf(response, 404)
  await remove(`/_index_template/${dataStream}`)
  dataStreams.forget()
}

/** Where a build can't delete a data stream, its last index stays behind without documents. */
async function empty(context: IndexContext, dataStream: string): Promise<void> {
  const backings = await backingIndexes(context, dataStream)
  for (const { index } of backings.slice(0, -1)) {
    bodyOf(await context.store({ method: 'DELETE', path: `/${index}`, timeoutMs: ADMIN_MS }), 404)
  }
  const last = backings.at(-1)
  if (last === undefined) return
  await context.store({ method: 'POST', path: `/${last.index}/_refresh`, timeoutMs: SLOW_MS })
  while ((await deleteBy(context, last.index, { match_all: {} }, EMPTY_STEP)) === EMPTY_STEP);
}

const EMPTY_STEP = 10_000
