import { type Database, sql } from '@platform/database'
import type { Claim, ClaimedRun } from './run.ts'
import { claimedColumns } from './run-store.ts'

export type SuspectStore = ReturnType<typeof suspectStore>

/** What becomes of the runs of a process that died. */
export interface Verdict {
  /** The run that may have ended it; null for each of them, and one that is none of them for none. */
  readonly suspect: string | null
  /** Of those that are. A death is counted for them in any case. */
  readonly suspects: 'queued' | 'set aside'
  /** Of those that are not suspected. */
  readonly others: 'queued' | 'set aside'
}

/** Until then a run is set aside; any process queues it afterwards. */
const LONGEST = sql`now() + interval '1 minute'`

/** Runs that may have ended the process they were at work in. */
export const suspectStore = (database: Database) => ({
  /** Gives back what a dead worker held, by whichever of its names. */
  async settle(workers: readonly string[], { suspect, suspects, others }: Verdict): Promise<void> {
    const areAside = suspects === 'set aside'
    await database.many(sql`
      with held as materialized (
        select id, coalesce(id = ${suspect}::uuid, true) as "isSuspect" from runtime.runs
        where worker = any(${workers}::text[]) and status = 'running' for update
      ), judged as (
        select id, "isSuspect",
          case when "isSuspect" then ${areAside}::boolean else ${others === 'set aside'}::boolean end
          as "isAside"
        from held
      )
      update runtime.runs r set
        status = case when j."isAside" then 'waiting' else 'queued' end,
        waits_for = case when j."isAside" then 'quarantine' end,
        due_at = case when j."isAside" then ${LONGEST} end,
        deaths = r.deaths + case when j."isSuspect" then 1 else 0 end,
        slot = case when j."isAside" then null else r.slot end, worker = null, leased_until = null
      from judged j where r.id = j.id`)
  },

  async isAnyAside(): Promise<boolean> {
    const rows = await database.many(sql`select from runtime.runs where waits_for = 'quarantine' limit 1`)
    return rows.length > 0
  },

  /** Sets a claimed run aside that has ended no process yet. */
  async setAside({ id, attempt }: Claim): Promise<void> {
    await database.many(sql`
      update runtime.runs set status = 'waiting', waits_for = 'quarantine', due_at = ${LONGEST}, slot = null,
        worker = null, leased_until = null
      where id = ${id} and attempt = ${attempt} and status = 'running'`)
  },

  /** A run that a dead worker held. */
  async findHeld(workers: readonly string[], runId: string): Promise<ClaimedRun | undefined> {
    const [run] = await database.many<ClaimedRun>(sql`
      select ${claimedColumns} from runtime.runs r
      where r.id = ${runId}::uuid and r.worker = any(${workers}::text[]) and r.status = 'running'`)
    return run
  },

  /** The run that was set aside first. */
  claim: (worker: string, leaseSeconds: number): Promise<ClaimedRun[]> =>
    database.many<ClaimedRun>(sql`
      with first as materialized (
        select id from runtime.runs where waits_for = 'quarantine' and status = 'waiting' order by id limit 1
        for update skip locked
      )
      update runtime.runs r set status = 'running', waits_for = null, due_at = null, attempt = r.attempt + 1,
        worker = ${worker}, leased_until = now() + ${leaseSeconds} * interval '1 second',
        started_at = coalesce(r.started_at, now())
      from first where r.id = first.id returning ${claimedColumns}`),
})
