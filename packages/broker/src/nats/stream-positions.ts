import { type Queries, sql } from '@platform/database'
import { RELAY_READER } from '../event-log.ts'

/**
 * The last sequence a group has handled. A new group begins with the first event that is there, a known one at the
 * start of a stream that was made again.
 */
export async function loadSequence(
  queries: Queries,
  group: string,
  stream: { id: string; firstSequence: number },
): Promise<number> {
  const [row] = await queries.many<{ sequence: number }>(sql`
    insert into outbox.stream_positions as known (group_name, stream_id, sequence)
    values (${group}, ${stream.id}, ${Math.max(0, stream.firstSequence - 1)}::bigint)
    on conflict (group_name) do update set
      stream_id = excluded.stream_id,
      sequence = case when known.stream_id = excluded.stream_id then known.sequence else 0 end,
      updated_at = now()
    returning sequence`)
  return row?.sequence ?? 0
}

/** Whether a stream is the one that the relay of this database writes; any is where no relay has ever been. */
export async function isRegistered(queries: Queries, streamId: string): Promise<boolean> {
  const [relay] = await queries.many<{ streamId: string | null }>(
    sql`select stream_id as "streamId" from outbox.consumers where name = ${RELAY_READER}`,
  )
  return relay === undefined || relay.streamId === streamId
}

/** Moves a group forward, never back, and never in another stream than it is in. */
export async function storeSequence(
  queries: Queries,
  group: string,
  streamId: string,
  sequence: number,
): Promise<void> {
  await queries.many(sql`
    update outbox.stream_positions set sequence = ${sequence}::bigint, updated_at = now()
    where group_name = ${group} and stream_id = ${streamId} and sequence < ${sequence}::bigint`)
}

/** The last sequence of a stream that all groups have handled; 0 while one of them hasn't begun, or none is there. */
export async function settledSequence(queries: Queries, streamId: string): Promise<number> {
  const [row] = await queries.many<{ settled: number | null }>(sql`
    select min(case when stream_id = ${streamId} then sequence else 0 end) as settled from outbox.stream_positions`)
  return row?.settled ?? 0
}
