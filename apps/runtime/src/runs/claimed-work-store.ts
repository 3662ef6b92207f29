import { type Database, DatabaseError, join, type Sql, sql } from '@platform/database'
import { storableJson } from '../contexts/storable.ts'
import { insertSegments, isLarge } from './journal-store.ts'
import { type Claim, type ClaimedWork, isParked, type WaitWriter } from './run.ts'
import {
  announceEvents,
  type EffectWriters,
  effectParts,
  journalPart,
  segmentsOf,
  statementOf,
} from './run-effect-store.ts'

/** How what claimed runs did is written, with their ends; nothing of a run that another worker has claimed. */
export const claimedWorkStore = (database: Database, write: EffectWriters, waits?: WaitWriter) => ({
  /** Answers what was written. */
  async writeClaimed(work: readonly ClaimedWork[]): Promise<ClaimedWork[]> {
    const hasWaits = work.some(touchesWaits)
    if (!hasWaits && (await isWrittenAtOnce(database, write, work))) return [...work]
    return await database.transaction(async (tx) => {
      if (hasWaits) await waits?.lockRuns(tx, idsOf(work))
      const claims = await tx.many<Claim>(statementOfClaims(work))
      const attempts = new Map(claims.map(({ id, attempt }) => [id, attempt]))
      const counted = work.filter(({ claim: { id, attempt } }) => attempts.get(id) === attempt)
      const effects = counted.map((one) => one.effects)
      const parts = effectParts(effects, write)
      if (parts.length > 0) await tx.many(statementOf(parts))
      await insertSegments(tx, segmentsOf(counted.map(actingOf)))
      await waits?.write(tx, counted)
      announceEvents(tx, effects)
      return counted
    })
  },
})

/** The SQLSTATE of `runtime.require_claims`. */
const CLAIM_LOST = 'RT001'

/** Writes all of it in one statement, which is undone where one of the claims is another worker's. */
async function isWrittenAtOnce(
  database: Database,
  write: EffectWriters,
  work: readonly ClaimedWork[],
): Promise<boolean> {
  const runs = work.map(actingOf)
  if (isLarge(segmentsOf(runs))) return false
  const effects = runs.map((one) => one.effects)
  const parts = [...claimParts(work), ...journalPart(runs), ...effectParts(effects, write)]
  try {
    await database.many(sql`
      with ${join(parts, ', ')}
      select from (select count(*)::int as count from claims) c, runtime.require_claims(c.count, ${work.length})`)
  } catch (error) {
    if (error instanceof DatabaseError && error.code === CLAIM_LOST) return false
    throw error
  }
  announceEvents(database, effects)
  return true
}

const touchesWaits = ({ effects, end, forgetsWaits }: ClaimedWork): boolean =>
  effects.waits !== undefined || effects.overWaits !== undefined || forgetsWaits === true || isParked(end)

const actingOf = ({ claim: { id }, effects }: ClaimedWork) => ({ id, effects })

const idsOf = (work: readonly ClaimedWork[]): string[] => work.map(({ claim }) => claim.id)

/** Answers the ids and attempts of the runs that are still ours. */
const statementOfClaims = (work: readonly ClaimedWork[]): Sql =>
  sql`with ${join(claimParts(work), ', ')} select id, attempt from claims`

/** Locks the rows of the runs that are still ours, and ends those that are over: `claims` are all of them. */
function claimParts(work: readonly ClaimedWork[]): Sql[] {
  const ended = work.flatMap(({ claim, end }) =>
    end === undefined || isParked(end) ? [] : [{ ...end, ...claim }],
  )
  const held = work.filter(({ end }) => end === undefined || isParked(end)).map(({ claim }) => claim)
  if (held.length === 0) return [sql`claims as (${endRuns(ended)})`]
  if (ended.length === 0) return [sql`claims as materialized (${lockRuns(held)})`]
  return [
    sql`ended as (${endRuns(ended)})`,
    sql`held as materialized (${lockRuns(held)})`,
    sql`claims as (select * from ended union all select * from held)`,
  ]
}

/**
 * True of the runs `r` with these ids. Joined with a list of ids alone, PostgreSQL would go through a table that it
 * believes to be small (ADR 0093).
 */
export const isOneOf = (runs: readonly Pick<Claim, 'id'>[]): Sql =>
  sql`r.id = any(${runs.map(({ id }) => id)}::uuid[])`

/**
 * True of those of them that a worker holds. Written as `status = 'running'`, PostgreSQL would go through its index of
 * running runs, which has all that ended since its last vacuum.
 */
export const isHeld = (runs: readonly Pick<Claim, 'id'>[]): Sql =>
  sql`${isOneOf(runs)} and r.status is not distinct from 'running'`

/** Claims as rows `c` of a statement. */
export const claimList = (claims: readonly Claim[]): Sql => sql`
  unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ attempt }) => attempt)}::int[]) as c (id, attempt)`

const lockRuns = (claims: readonly Claim[]): Sql => sql`
  select r.id, r.attempt
  from ${claimList(claims)} join runtime.runs r on r.id = c.id and r.attempt = c.attempt
  where ${isHeld(claims)} for no key update of r`

const endRuns = (ends: readonly Claim[]): Sql => sql`
  update runtime.runs r set
    status = e.status,
    finished_at = case when e.status <> 'waiting' then now() end,
    leased_until = null,
    output = coalesce(e.output, r.output),
    duration_ms = e."durationMs", error = e.error, dead_letter = coalesce(e."isDeadLetter", false), ${nextTry}
  from jsonb_to_recordset(${storableJson(ends)}::jsonb)
    as e (id uuid, attempt int, status text, "durationMs" int, error jsonb, "isDeadLetter" boolean,
      "pauseMs" float8, output text)
  where r.id = e.id and r.attempt = e.attempt and ${isHeld(ends)}
  returning r.id, r.attempt`

/** A run that was asked to end meanwhile does not pause: whoever claims it ends it. */
const nextTry = sql`
  try = r.try + case e.status when 'waiting' then 1 else 0 end,
  deaths = case e.status when 'waiting' then 0 else r.deaths end,
  waits_for = case e.status when 'waiting' then 'retry' end,
  slot = case when e.status = 'waiting' then null else r.slot end,
  due_at = case when e.status = 'waiting' then
    now() + case when r.cancel_requests is null then e."pauseMs" else 0 end * interval '1 millisecond' end`
