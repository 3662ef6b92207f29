import { type Database, type Queries, sql } from '@platform/database'
import { storableJson } from '../contexts/storable.ts'
import type { WokenRuns } from '../runs/due-runs.ts'
import { type ClaimedWork, isParked, type Parked, type WaitWriter } from '../runs/run.ts'
import { announceWoken, deleteWaits, deleteWaitsOf, insertion } from './wait-store.ts'

/*
 * A run that only waits is given up: its row says that it waits, and until when. Whoever puts an event into one of its
 * waits locks the row of the run first, and so does who gives it up: whichever comes second sees the other, so that no
 * run waits for what has come.
 */

export function lockRuns(tx: Queries, ids: readonly string[]): Promise<unknown> {
  return tx.many(
    sql`select id from runtime.runs where id = any(${ids}::uuid[]) order by id for no key update`,
  )
}

/** How commits of runs keep their waits. */
export const waitWriter: WaitWriter = { lockRuns, write: writeWaits, insertion }

/** After everything else that is written of the runs. Asks nothing where none did anything about waits. */
async function writeWaits(tx: Queries, work: readonly ClaimedWork[]): Promise<void> {
  const waits = work.flatMap(({ effects }) => effects.waits ?? [])
  const over = work.flatMap(({ claim, effects }) =>
    (effects.overWaits ?? []).map((number) => ({ runId: claim.id, number })),
  )
  const ended = work.filter((one) => one.forgetsWaits === true).map(({ claim }) => claim.id)
  const parked = work.flatMap(({ claim, end }) => (isParked(end) ? [{ ...end, id: claim.id }] : []))
  if (waits.length > 0) await tx.many(insertion(waits))
  if (over.length > 0) await deleteWaits(tx, over)
  if (ended.length > 0) await deleteWaitsOf(tx, ended)
  if (parked.length > 0) await park(tx, parked)
}

/** Runs whose event has come already, and those that were asked to end, go on at once. */
async function park(tx: Queries, parked: readonly (Parked & { id: string })[]): Promise<void> {
  const woken = await tx.many<{ id: string }>(sql`
    with given_up as (
      select p.id, p."waitsFor", p."leftMs",
        r.cancel_requests is not null
          or exists (select from runtime.waits w where w.run_id = p.id and w.record is not null) as "isWoken"
      from jsonb_to_recordset(${storableJson(parked)}::jsonb) as p (id uuid, "waitsFor" text, "leftMs" float8)
      join runtime.runs r on r.id = p.id)
    update runtime.runs r set status = 'waiting', leased_until = null, worker = null,
      waits_for = case when g."isWoken" then 'worker' else g."waitsFor" end,
      wakes_at = case when not g."isWoken" then clock_timestamp() + g."leftMs" * interval '1 millisecond' end
    from given_up g where r.id = g.id
    returning case when g."isWoken" then r.id end as id`)
  announceWoken(
    tx,
    woken.flatMap(({ id }) => id ?? []),
  )
}

/**
 * Lets so many runs at most go on whose time is over, and looks `aheadMs` ahead. The time is that of the statement:
 * with one that goes on while it is compared, no index could end the search, and each look would go through all runs
 * that wait.
 */
export async function wakeDue(database: Database, limit: number, aheadMs: number): Promise<WokenRuns> {
  const [woken] = await database.many<WokenRuns>(sql`
    with due as materialized (
      select id from runtime.runs where wakes_at <= now() order by wakes_at limit ${limit}
      for update skip locked
    ), woken as (
      update runtime.runs r set wakes_at = null,
        waits_for = case when r.waits_for in ('event', 'time') then 'worker' else r.waits_for end
      where r.id = any (array(select id from due)) and r.status = 'waiting' returning r.id
    ), next as (
      select wakes_at from runtime.runs
      where wakes_at > now() and wakes_at <= now() + ${aheadMs} * interval '1 millisecond'
      order by wakes_at limit 1
    )
    select (select count(*)::int from woken) as count,
      (select (extract(epoch from wakes_at - now()) * 1000)::float8 from next) as "nextMs"`)
  return woken ?? { count: 0, nextMs: null }
}
