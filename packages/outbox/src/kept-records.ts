import { isDeepStrictEqual } from 'node:util'
import { readRecords } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { Failure } from '@platform/kernel'

/**
 * The records as the log keeps them, in the order they are given. Throws `IdempotencyKeyReused` for an id that
 * belongs to another event. The words are the same whether that event is one of this workspace or not: nobody learns
 * of what is in another one.
 */
export async function keptRecords(queries: Queries, records: readonly EventRecord[]): Promise<EventRecord[]> {
  const kept = new Map<string, EventRecord>()
  const ids = records.map(({ id }) => id)
  for (const record of await readRecords(queries, ids)) kept.set(record.id, record)
  return records.map((record) => {
    const known = kept.get(record.id)
    if (known !== undefined && isSameEvent(known, record)) return known
    throw new Failure(
      'IdempotencyKeyReused',
      `The id ${record.id} belongs to another event: choose a new one for each event.`,
      { details: { id: record.id } },
    )
  })
}

const isSameEvent = (known: EventRecord, record: EventRecord): boolean =>
  isDeepStrictEqual(contentOf(known), contentOf(record))

/** What the emitter chose, and where it went; as JSON knows it. */
const contentOf = ({ type, payload, target, options, source }: EventRecord): unknown =>
  JSON.parse(JSON.stringify({ type, payload, target, options, workspaceId: source.workspaceId }))
