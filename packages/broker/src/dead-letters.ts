import type { EventRecord } from '@platform/contracts'
import { one, type Queries, sql } from '@platform/database'
import { RELAY_READER } from './event-log.ts'

/** An event that a group gave up, and why. `record` is missing when what came was no event at all. */
export interface DeadLetter {
  group: string
  eventId: string
  record: unknown
  reason: string
}

/** A dead letter as it is stored. */
export interface StoredDeadLetter extends Omit<DeadLetter, 'record'> {
  /** Its position among all dead letters; the cursor of a page. */
  number: number
  /** Undefined when what came was no event at all: that can't be delivered again. */
  record: EventRecord | undefined
  /** When it was given up (last). */
  at: Date
  /** True while its group has yet to try it again. */
  isAsked: boolean
}

/**
 * Stores a dead letter. One that is there already is left as it is, unless it was asked for again: then this delivery
 * failed too, and the new reason is stored.
 */
export async function storeDeadLetter(queries: Queries, letter: DeadLetter): Promise<void> {
  const record = letter.record === undefined ? null : JSON.stringify(letter.record)
  await queries.many(sql`
    insert into outbox.dead_letters as known (group_name, event_id, record, reason)
    values (${letter.group}, ${letter.eventId}, ${record}::json, ${letter.reason})
    on conflict (group_name, event_id) do update
      set reason = excluded.reason, at = now(), replay_asked_at = null
      where known.replay_asked_at is not null`)
}

/**
 * The dead letters of a group, or of all, in the order they were stored. `after` is the number of the last one of the
 * page before; `limit` is at most 1000.
 */
export async function listDeadLetters(
  queries: Queries,
  { group, after = 0, limit = 100 }: { group?: string; after?: number; limit?: number } = {},
): Promise<StoredDeadLetter[]> {
  const rows = await queries.many<Omit<StoredDeadLetter, 'record'> & { record: EventRecord | null }>(sql`
    select number, group_name as "group", event_id as "eventId", record, reason, at,
      replay_asked_at is not null as "isAsked"
    from outbox.dead_letters
    where number > ${after}::bigint and (${group ?? null}::text is null or group_name = ${group ?? null})
    order by number limit ${Math.min(limit, 1000)}::int`)
  return rows.map(({ record, ...row }) => ({
    ...row,
    number: Number(row.number),
    record: record ?? undefined,
  }))
}

/**
 * Asks for dead letters of a group, all of them or those with these event ids, to be delivered to that group again,
 * and to no other. Returns how many were asked for now; those that were no event don't count, nor do those that are
 * asked for already. One that is handled disappears; one that fails again stays, with its new reason. The letters of
 * the `relay` are what the broker can't carry: every group gets them without it, and where there is no group yet they
 * stay.
 */
export async function replayDeadLetters(
  queries: Queries,
  { group, eventIds }: { group: string; eventIds?: readonly string[] },
): Promise<number> {
  const wanted = sql`group_name = ${group} and record is not null and replay_asked_at is null
    and (${eventIds ?? null}::text[] is null or event_id = any(${eventIds ?? null}::text[]))`
  const asked =
    group === RELAY_READER
      ? sql`
        with taken as (
          delete from outbox.dead_letters
          where ${wanted} and exists (select from outbox.stream_positions)
          returning event_id, record, reason),
        copies as (
          insert into outbox.dead_letters as known (group_name, event_id, record, reason, replay_asked_at)
          select positions.group_name, event_id, record, reason, now()
          from taken cross join outbox.stream_positions positions
          on conflict (group_name, event_id) do update set replay_asked_at = now())
        select count(*)::int as letters from taken`
      : sql`
        with asked as (update outbox.dead_letters set replay_asked_at = now() where ${wanted} returning 1)
        select count(*)::int as letters from asked`
  const { letters } = await one<{ letters: number }>(queries, asked)
  return letters
}

/** How many dead letters each group has that were not asked for again. */
export const countDeadLetters = (queries: Queries): Promise<{ group: string; letters: number }[]> =>
  queries.many(sql`
    select group_name as "group", count(*)::int as letters from outbox.dead_letters
    where replay_asked_at is null group by group_name order by group_name`)
