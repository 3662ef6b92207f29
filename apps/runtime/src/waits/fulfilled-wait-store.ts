import type { EventRecord } from '@platform/contracts'
import { type Database, type Queries, type Sql, sql } from '@platform/database'
import type { QueuedRun } from '../automations/model.ts'
import { storableJson } from '../contexts/storable.ts'
import { lockRuns } from './parked-run-store.ts'
import { announceWoken, type OpenWait } from './wait-store.ts'

/** A wait, and the event that ends it. */
export interface MetWait extends OpenWait {
  readonly eventId: string
  readonly record: EventRecord
}

export interface FulfilledWaits {
  /** Puts events into waits, lets their runs go on, and queues others, unless their event was taken. */
  write(met: readonly MetWait[], runs: readonly QueuedRun[]): Promise<void>
}

/** Writes runs as part of a transaction; the queue knows how. */
export interface InsertRuns {
  queued(runs: readonly QueuedRun[]): Sql
  /** Those that are over before they begin. */
  taken(runs: readonly QueuedRun[]): Sql
}

export const fulfilledWaits = (database: Database, insert: InsertRuns): FulfilledWaits => ({
  write: (met, runs) =>
    database.transaction(async (tx) => {
      await lockRuns(tx, [...new Set(met.map(({ runId }) => runId))].sort())
      const taken = await put(tx, met)
      const swallowed = new Set(taken.flatMap(({ cancels, eventId }) => (cancels ? [eventId] : [])))
      await wake(tx, [...new Set(taken.map(({ runId }) => runId))])
      const isSwallowed = ({ trigger }: QueuedRun) => trigger.id !== undefined && swallowed.has(trigger.id)
      const [ended, queued] = [runs.filter(isSwallowed), runs.filter((run) => !isSwallowed(run))]
      if (queued.length > 0) await tx.many(insert.queued(queued))
      if (ended.length > 0) await tx.many(insert.taken(ended))
    }),
})

/** Waits that are fulfilled in one transaction. */
const BATCH = 1000

/** Ends waits and queues runs in one transaction; what is too much for one comes after it. */
export async function fulfil(
  fulfilled: FulfilledWaits,
  met: readonly MetWait[],
  runs: readonly QueuedRun[],
): Promise<void> {
  await fulfilled.write(met.slice(0, BATCH), runs)
  for (let at = BATCH; at < met.length; at += BATCH) await fulfilled.write(met.slice(at, at + BATCH), [])
}

interface Taken {
  readonly runId: string
  readonly eventId: string
  readonly cancels: boolean
}

/** Each is of another wait. Those that have an event, of whatever alternative, stay as they are. */
async function put(tx: Queries, met: readonly MetWait[]): Promise<Taken[]> {
  const rows = met.map(({ runId, number, alternative, eventId }) => ({ runId, number, alternative, eventId }))
  const records = Object.fromEntries(met.map(({ eventId, record }) => [eventId, record]))
  // Waits of runs without a row are locked here, the others by it.
  await tx.many(sql`
    select 1 from runtime.waits where run_id = any(${rows.map(({ runId }) => runId)}::uuid[])
    order by run_id, number, alternative for no key update`)
  return await tx.many<Taken>(sql`
    update runtime.waits w set record = e.value
    from json_to_recordset(${storableJson(rows)}::json)
      as m ("runId" uuid, number int, alternative smallint, "eventId" text)
    join json_each(${storableJson(records)}::json) e on e.key = m."eventId"
    where w.run_id = m."runId" and w.number = m.number and w.alternative = m.alternative and not w.closed
      and w.ends_at > clock_timestamp() and not exists (
        select from runtime.runs r where r.id = w.run_id and r.status in ('succeeded', 'failed', 'cancelled'))
      and not exists (select from runtime.waits o
        where o.run_id = w.run_id and o.number = w.number and o.record is not null)
    returning w.run_id as "runId", m."eventId", w.cancel_triggers as cancels`)
}

async function wake(tx: Queries, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return
  await tx.many(sql`
    update runtime.runs set waits_for = 'worker', wakes_at = null
    where id = any(${runIds}::uuid[]) and status = 'waiting' and waits_for in ('event', 'time')`)
  announceWoken(tx, runIds)
}
