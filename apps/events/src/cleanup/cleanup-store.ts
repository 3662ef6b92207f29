import type { Audit } from '@platform/audit'
import { eventsCleaned, type PayloadInputOf } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { Failure } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { CleanupName } from './cleanup.ts'

/** What is stored of a cleanup. */
export interface CleanupRecord {
  /** Up to when its schedule was followed. */
  followedAt: Date
  /** Of the run under way; null when there is none. */
  startedAt: Date | null
  cursor: string | null
  report: unknown
}

export type CleanupStore = ReturnType<typeof cleanupStore>

/** Work may take this long between two signs of life; the server frees the lock of one that died at once. */
const IDLE_MS = '600000'

/** Which process cleans, how far it came, and the event and audit row of its end. */
export const cleanupStore = ({
  database,
  outbox,
  audit,
}: {
  database: Database
  outbox: Outbox
  audit: Audit
}) => ({
  /**
   * Runs `work` while no other process does. The transaction holds the lock and writes nothing, for `work` takes
   * long. Throws ResourceLocked when one does. `work` calls `stillAlone` now and again, which rejects when the lock
   * was lost with its connection.
   */
  alone: <T>(work: (stillAlone: () => Promise<void>) => Promise<T>): Promise<T> =>
    database.transaction(
      async (tx) => {
        const [lock] = await tx.many<{ locked: boolean }>(sql`
          select pg_try_advisory_xact_lock(hashtextextended('events cleanup', 0)) as locked,
            set_config('idle_in_transaction_session_timeout', ${IDLE_MS}, true)`)
        if (lock?.locked !== true)
          throw new Failure('ResourceLocked', 'A cleanup of events is under way: try again when it is done.')
        return await work(async () => {
          await tx.many(sql`select 1`)
        })
      },
      { readOnly: true },
    ),

  /** What is known of a cleanup; the first who asks begins to follow its schedule. */
  async find(name: CleanupName, now: Date): Promise<CleanupRecord> {
    const [row] = await database.many<CleanupRecord>(sql`
      insert into events.cleanups (name, followed_at) values (${name}, ${now})
      on conflict (name) do update set name = excluded.name
      returning followed_at as "followedAt", started_at as "startedAt", place as cursor, report`)
    return row ?? { followedAt: now, startedAt: null, cursor: null, report: null }
  },

  /** Begins a run; `follows` when its time had come. */
  begin: (name: CleanupName, run: { startedAt: Date; cursor: string; report: unknown; follows: boolean }) =>
    database.many(sql`
      update events.cleanups set
        started_at = ${run.startedAt}, place = ${run.cursor}, report = ${JSON.stringify(run.report)}::json,
        followed_at = case when ${run.follows}::boolean then ${run.startedAt}::timestamptz else followed_at end
      where name = ${name}`),

  /** Stores how far the run under way has come. */
  storeProgress: (name: CleanupName, cursor: string, report: unknown) =>
    database.many(sql`
      update events.cleanups set place = ${cursor}, report = ${JSON.stringify(report)}::json where name = ${name}`),

  /** Ends a run, with its event and its audit row. */
  finish: (
    name: CleanupName,
    run: { startedAt: Date; endedAt: Date },
    summary: PayloadInputOf<typeof eventsCleaned>,
  ) =>
    database.transaction(async (tx) => {
      await tx.many(sql`
        update events.cleanups set started_at = null, place = null, report = null, finished_at = ${run.endedAt}
        where name = ${name}`)
      await outbox.add(tx, eventsCleaned, summary, { host: { service: 'events' } })
      const details = { startedAt: run.startedAt.toISOString(), ...countsOf(summary) }
      await audit.record(tx, {
        action: 'events.cleaned',
        actor: 'platform',
        subject: `cleanup:${name}`,
        details,
      })
    }),
})

const countsOf = (summary: PayloadInputOf<typeof eventsCleaned>) => ({
  indicesWithoutDatastream: summary.indicesWithoutDatastream.found,
  inactiveDatastreams: summary.inactiveDatastreams.found,
  inactiveEvents: summary.inactiveDatastreams.result,
  emptyIndices: summary.emptyIndices.found,
  expiredEvents: summary.expiredEvents,
  strippedExecutions: summary.strippedExecutions ?? 0,
})
