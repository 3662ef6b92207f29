import { type BulkItem, bulk, bulkAction } from './bulk.ts'
import type { DataStreams } from './data-streams.ts'
import { BULK_MS, bodyOf, type IndexContext } from './store.ts'
import { backingOf } from './stream-names.ts'

/**
 * An id is unique within a backing index only: after a rollover older indexes are asked by id, which also finds what
 * searches do not see yet.
 */
export async function alreadyIn(
  { store }: IndexContext,
  indexes: readonly string[],
  ids: readonly string[],
): Promise<Set<string>> {
  if (indexes.length === 0 || ids.length === 0) return new Set()
  const docs = indexes.flatMap((_index) => ids.map((_id) => ({ _index, _id, _source: false })))
  const response = await store<{ docs: { _id: string; found?: boolean }[] }>({
    method: 'POST',
    path: '/_mget',
    body: { docs },
    timeoutMs: BULK_MS,
  })
  return new Set(bodyOf(response).docs.flatMap(({ _id, found }) => (found === true ? [_id] : [])))
}

/**
 * A stream may have been rolled over between the look and the write: what is now there twice is taken out of the
 * newer index.
 */
export async function removeDoubles(
  context: IndexContext,
  dataStreams: DataStreams,
  items: readonly BulkItem[],
): Promise<void> {
  const created = items.filter(({ status }) => status === 201)
  for (const [index, written] of Map.groupBy(created, ({ _index }) => _index)) {
    const dataStream = backingOf(index)?.dataStream
    if (dataStream === undefined || (await dataStreams.ready(dataStream)).at(-1) === index) continue
    const older = (await dataStreams.renew(dataStream)).filter((name) => name < index)
    const doubles = await alreadyIn(
      context,
      older,
      written.map(({ _id }) => _id),
    )
    const actions = [...doubles].map((_id) => bulkAction({ delete: { _index: index, _id } }))
    if (actions.length > 0) await bulk(context, actions)
  }
}
