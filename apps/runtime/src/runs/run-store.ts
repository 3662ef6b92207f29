import { type Database, groupCommit, type Sql, sql } from '@platform/database'
import { sizeOfRecords } from '@platform/outbox'
import type { Effects } from '../automations/effect-buffer.ts'
import type { QueuedRun } from '../automations/model.ts'
import { storableJson } from '../contexts/storable.ts'
import { claimedWorkStore, claimList, isHeld, isOneOf } from './claimed-work-store.ts'
import type { BegunRun, Claim, ClaimedRun, ClaimedWork, FinishedRun, LeaseNews, WaitWriter } from './run.ts'
import {
  announceEvents,
  callerColumns,
  callerNames,
  callerTypes,
  callerValues,
  type EffectWriters,
  effectParts,
  insertQueued,
  journalPart,
  queuedRow,
  statementOf,
  triggerColumns,
} from './run-effect-store.ts'

export type RunStore = ReturnType<typeof runStore>

/** What a worker is told of the wish that a run ends. */
const cancellation = sql`
  case when r.cancel_requests is not null
    then json_build_object('requests', r.cancel_requests, 'reason', coalesce(r.cancel_reason, '')) end`

/** What a worker is told of a run `r` that it has claimed. */
export const claimedColumns = sql`
  r.id, r.attempt, r.deaths as "crashCount", r.try, r.slot, r.debounce, r.workspace_id as "workspaceId",
  r.automation_slug as "automationSlug",
  r.trigger_type as "triggerType", r.trigger_value as "triggerValue", r.trigger_id as "triggerId",
  r.correlation_id as "correlationId", r.revision, r.input,
  r.origin_id is not null as "isAgain", ${cancellation} as cancellation,
  pg_snapshot_xmin(pg_current_snapshot())::text as horizon`

export const runStore = (database: Database, write: EffectWriters, waits?: WaitWriter) => ({
  ...claimsIn(database),
  ...claimedWorkStore(database, write, waits),

  /** Writes runs that are over, with all they did, in one statement. */
  async insertFinished(runs: readonly FinishedRun[]): Promise<void> {
    const effects = runs.map((run) => run.effects)
    const journal = journalPart(runs)
    await database.many(
      statementOf([sql`runs as (${insertRuns(runs)})`, ...journal, ...effectParts(effects, write)]),
    )
    announceEvents(database, effects)
  },

  /** Writes what runs did so far. */
  async insertEffects(effects: readonly Effects[]): Promise<void> {
    await database.many(statementOf(effectParts(effects, write)))
    announceEvents(database, effects)
  },

  /** Writes runs that requests work on and will go on with, with all they did so far, in one statement. */
  async insertBegun(runs: readonly BegunRun[]): Promise<void> {
    const effects = runs.map((run) => run.effects)
    const begun = effects.flatMap((one) => one.waits ?? [])
    const kept = begun.length === 0 || waits === undefined ? [] : [sql`waits as (${waits.insertion(begun)})`]
    const others = [...journalPart(runs), ...kept, ...effectParts(effects, write)]
    await database.many(statementOf([sql`runs as (${insertRunning(runs)})`, ...others]))
    announceEvents(database, effects)
  },

  /** Runs that are queued already stay as they are. */
  enqueue: (runs: readonly QueuedRun[]): Promise<unknown> => database.many(insertQueued(runs)),

  /** Gives runs back to the queue. */
  release: (claims: readonly Claim[]): Promise<unknown> =>
    database.many(sql`
      update runtime.runs r set status = 'queued', leased_until = null, worker = null
      from ${claimList(claims)} where r.id = c.id and r.attempt = c.attempt and ${isHeld(claims)}`),

  /** Queues runs whose time has come; answers how many. */
  async queueDue(limit: number): Promise<number> {
    const rows = await database.many(sql`
      with due as materialized (
        select id from runtime.runs where due_at <= now() order by due_at limit ${limit} for update skip locked
      )
      update runtime.runs r set status = 'queued', due_at = null, waits_for = null
      where r.id = any (array(select id from due)) and r.status = 'waiting' returning r.id`)
    return rows.length
  },
})

const claimInTurn =
  (database: Database, claim: Sql) =>
  (
    worker: string,
    leaseSeconds: number,
    limit: number,
    except: readonly string[] = [],
    after = '',
  ): Promise<ClaimedRun[]> =>
    database.many<ClaimedRun>(sql`
      select ${claimedColumns} from ${claim}(
        ${worker}, ${leaseSeconds} * interval '1 second', ${limit}, ${after}, ${except}::text[]) r`)

/** How workers come to runs, and keep them. */
const claimsIn = (database: Database) => ({
  /**
   * Queued runs of as many workspaces as there are, in turn after the workspace `after`; none of those in `except`.
   * Answers them in the order of the turns.
   */
  claimQueued: claimInTurn(database, sql`runtime.claim_queued`),

  /** Claims a queued run by its id; none where another worker has it, or had. */
  claimOne: (worker: string, leaseSeconds: number, id: string): Promise<ClaimedRun[]> =>
    database.many<ClaimedRun>(sql`
      with due as materialized (
        select id from runtime.runs where id = ${id} and status = 'queued' for update skip locked)
      update runtime.runs r set
        status = 'running', attempt = r.attempt + 1, worker = ${worker},
        leased_until = now() + ${leaseSeconds} * interval '1 second', started_at = coalesce(r.started_at, now())
      where r.id = any (array(select id from due)) returning ${claimedColumns}`),

  /** The same of runs that stood at a `wait` and are to go on. */
  claimWoken: claimInTurn(database, sql`runtime.claim_woken`),

  /** The workers that have leased runs, by their presence; a worker without one is known by another name. */
  async listHolders(): Promise<number[]> {
    const rows = await database.many<{ holder: number }>(sql`select runtime.list_holders() as holder`)
    return rows.map(({ holder }) => holder)
  },

  /**
   * Takes over the runs of workers that crashed: those that are `gone`, and with `expired` also the runs whose lease
   * is over.
   */
  claimAbandoned: (
    worker: string,
    leaseSeconds: number,
    limit: number,
    { gone, expired }: { gone: readonly number[]; expired: boolean },
  ): Promise<ClaimedRun[]> => {
    const isGone = sql`worker = any(${gone.map(String)}::text[])`
    const isAbandoned = expired ? sql`(leased_until < now() or ${isGone})` : isGone
    const which = sql`where status = 'running' and ${isAbandoned} limit ${limit}`
    return database.many<ClaimedRun>(claimAgain(worker, leaseSeconds, which))
  },

  /**
   * Extends the leases of runs, but of none that is being written at this moment. Answers those that another worker has
   * claimed, or that are to end.
   */
  extendLeases: (worker: string, claims: readonly Claim[], leaseSeconds: number): Promise<LeaseNews[]> =>
    database.many<LeaseNews>(sql`
      with leased as materialized (
        select r.id from runtime.runs r join ${claimList(claims)} on r.id = c.id and r.attempt = c.attempt
        where ${isHeld(claims)} for update of r skip locked
      ), extended as (
        update runtime.runs r set worker = ${worker}, leased_until = now() + ${leaseSeconds} * interval '1 second'
        from leased where r.id = leased.id
      )
      ${selectNews(claims)}`),

  /** The same, without extending anything. */
  listNews: (claims: readonly Claim[]): Promise<LeaseNews[]> => database.many<LeaseNews>(selectNews(claims)),
})

const selectNews = (claims: readonly Claim[]): Sql => sql`
  select r.id, c.attempt, r.attempt <> c.attempt as "isLost", ${cancellation} as cancellation
  from runtime.runs r join ${claimList(claims)} on r.id = c.id
  where ${isOneOf(claims)} and (r.attempt <> c.attempt or r.cancel_requests is not null)`

/** The selected rows are locked first, so that two workers never claim the same run. */
const claimAgain = (worker: string, leaseSeconds: number, which: Sql): Sql => sql`
  with due as materialized (select id from runtime.runs ${which} for update skip locked)
  update runtime.runs r set
    status = 'running', attempt = r.attempt + 1, deaths = r.deaths + 1, worker = ${worker},
    leased_until = now() + ${leaseSeconds} * interval '1 second', started_at = coalesce(r.started_at, now())
  where r.id = any (array(select id from due)) returning ${claimedColumns}`

function insertRuns(runs: readonly FinishedRun[]): Sql {
  const rows = runs.map(({ effects: _, trigger, subject, ...run }) => ({
    ...run,
    ...triggerColumns(trigger),
    ...callerColumns(subject),
  }))
  return sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, status,
      correlation_id, attempt, started_at, finished_at, duration_ms, error, input, output, dead_letter,
      ${callerNames})
    select r.id, r."workspaceId", r."automationSlug", r."triggerType", r."triggerValue", r."triggerId", r.status,
      r."correlationId", 1, r."startedAt", now(), r."durationMs", r.error, r.input, r.output,
      coalesce(r."isDeadLetter", false), ${callerValues}
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as r (id uuid, "workspaceId" text, "automationSlug" text,
      "triggerType" text, "triggerValue" text, "triggerId" text, status text, "correlationId" text,
      "startedAt" timestamptz, "durationMs" int, error jsonb, input json, output text, "isDeadLetter" boolean,
      ${callerTypes})
    on conflict do nothing`
}

function insertRunning(runs: readonly BegunRun[]): Sql {
  const rows = runs.map(({ effects: _, ...run }) => queuedRow(run))
  return sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, status,
      correlation_id, attempt, worker, leased_until, started_at, revision, input, ${callerNames})
    select r.id, r."workspaceId", r."automationSlug", r."triggerType", r."triggerValue", r."triggerId", 'running',
      r."correlationId", 1, r.worker, now() + r."leaseSeconds" * interval '1 second', r."startedAt", r.revision,
      r.input, ${callerValues}
    from json_to_recordset(${storableJson(rows)}::json) as r (id uuid, "workspaceId" text, "automationSlug" text,
      "triggerType" text, "triggerValue" text, "triggerId" text, "correlationId" text, worker text,
      "leaseSeconds" float8, "startedAt" timestamptz, revision bigint, input json, ${callerTypes})
    on conflict do nothing`
}

/** Runs that are over before they begin; those that are there already stay as they are. */
export function insertEnded(runs: readonly QueuedRun[], error: unknown): Sql {
  const rows = runs.map(({ trigger, ...run }) => ({ ...run, ...triggerColumns(trigger) }))
  return sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, status,
      correlation_id, rank, finished_at, error)
    select r.id, r."workspaceId", r."automationSlug", r."triggerType", r."triggerValue", r."triggerId", 'cancelled',
      r."correlationId", coalesce(-r.priority, 0), now(), ${storableJson(error)}::jsonb
    from json_to_recordset(${storableJson(rows)}::json) as r (id uuid, "workspaceId" text, "automationSlug" text,
      "triggerType" text, "triggerValue" text, "triggerId" text, "correlationId" text, priority smallint)
    on conflict do nothing`
}

/** Writes the work of many runs in few transactions; each promise resolves when its part is committed. */
export interface Commits {
  writeFinished(run: FinishedRun): Promise<void>
  writeBegun(run: BegunRun): Promise<void>
  writeEffects(effects: Effects): Promise<void>
  /** False when another worker has claimed the run: then nothing was written. */
  writeClaimed(work: ClaimedWork): Promise<boolean>
}

/** Each may have a body of megabytes with it. */
const MAX_BEGUN = 16

const sizeOfEffects = ({ events }: Effects): number => sizeOfRecords(events)

export function groupCommits(store: RunStore): Commits {
  const finished = groupCommit<FinishedRun>(async (runs) => void (await store.insertFinished(runs)), {
    maxItems: 200,
    sizeOf: ({ effects, output }) => sizeOfEffects(effects) + (output?.length ?? 0),
  })
  const begun = groupCommit<BegunRun>(async (runs) => void (await store.insertBegun(runs)), {
    maxItems: MAX_BEGUN,
  })
  const effects = groupCommit<Effects>(async (all) => void (await store.insertEffects(all)), {
    maxItems: 100,
    sizeOf: sizeOfEffects,
  })
  const claimed = groupCommit<{ work: ClaimedWork; counted: boolean }>(
    async (items) => {
      const counted = new Set(await store.writeClaimed(items.map(({ work }) => work)))
      for (const item of items) item.counted = counted.has(item.work)
    },
    { maxItems: 100, sizeOf: ({ work }) => sizeOfEffects(work.effects) },
  )
  return {
    writeFinished: (run) => finished.add(run),
    writeBegun: (run) => begun.add(run),
    writeEffects: (one) => effects.add(one),
    async writeClaimed(work) {
      const item = { work, counted: false }
      await claimed.add(item)
      return item.counted
    },
  }
}
