import type { Run, RunFilter } from '@platform/contracts'
import { type Database, join, type Queries, type Sql, sql } from '@platform/database'
import { lowestUuidv7 } from '@platform/kernel'
import type { StoredRun } from '../inspection/run-source.ts'
import type { RunPlace, RunRecord } from './run-record.ts'

/** A run as people look at it, and as it can be done again. */
export type KeptRun = RunRecord & StoredRun

export type RunRecordStore = ReturnType<typeof runRecordStore>

/** Runs of a workspace before `cursor`, at most `limit`, of the newest `lookedAt` that are there. */
export interface RunPage {
  readonly workspaceId: string
  readonly filter: RunFilter
  readonly cursor: string | undefined
  readonly limit: number
  readonly lookedAt: number
}

/** What is done to many runs at once. */
export type BulkAction = 'replay' | 'retry' | 'cancel'

const LIST_TIMEOUT_MS = 10_000

/** Of a run that a request waited for it is in the journal, where that is kept. */
const hasInput = sql`(input is not null or exists (select from runtime.journal j where j.run_id = runs.id))`

/** What a run `m` was made for. */
const isRetry = sql`coalesce(m.origin_way, m.origin_kind) = 'retry'`

/** That a run, or a run that stands for it because it was retried, has succeeded. */
const hasSucceededAgain = sql`
  exists (
    with recursive made as (
      select m.id, m.status from runtime.runs m where m.origin_id = runs.id and ${isRetry}
      union
      select m.id, m.status from made join runtime.runs m on m.origin_id = made.id and ${isRetry}
    ) select from made where status = 'succeeded')`

const canBe: Readonly<Record<BulkAction, Sql>> = {
  replay: sql`finished_at is not null and ${hasInput}`,
  retry: sql`status = 'failed' and ${hasInput} and not exists (
    select from runtime.runs m where m.origin_id = runs.id and ${isRetry} and m.status <> 'cancelled')`,
  cancel: sql`finished_at is null and cancel_requests is null`,
}

/** What a repeated request is told of the first one. */
export interface KeptOutcome extends Pick<RunRecord, 'finishedAt' | 'error'> {
  readonly status: RunRecord['status'] | 'waiting'
  readonly output: string | null
}

const shownStatus = sql`
  case when status = 'waiting' and waits_for in ('event', 'time') then 'waiting'
    when status = 'waiting' then 'queued' else status end`

/** The last retry of a run, as an object. */
const lastRetryOf = (run: Sql): Sql => sql`
  (select json_build_object('runId', id, 'status', ${shownStatus}) from runtime.runs m
    where origin_id = ${run} and ${isRetry} order by id desc limit 1)`

/** What a record is made of. */
export const recordColumns = sql`
  id, automation_slug as "automationSlug", ${shownStatus} as status,
  case when status = 'failed' then ${lastRetryOf(sql`runs.id`)} end as "retriedBy",
  trigger_type as "triggerType", trigger_value as "triggerValue",
  trigger_id as "triggerId", correlation_id as "correlationId", dead_letter as "deadLetter",
  started_at as "startedAt", finished_at as "finishedAt", duration_ms as "durationMs", -rank as priority, try,
  nullif(waits_for, 'worker') as "waitsFor", coalesce(due_at, wakes_at) as "dueAt",
  case when waits_for = 'event' then (
    select array_agg(distinct w.event) from runtime.waits w where w.run_id = runs.id) end as "waitsForEvents",
  origin_id as "originId", coalesce(origin_way, origin_kind) as "originKind", error,
  source_workspace_id as "sourceWorkspaceId", authenticated_workspace_id as "authenticatedWorkspaceId"`

/** Runs as people look at them. */
export const runRecordStore = (database: Pick<Database, 'many'>) => ({
  /** Newest first, and the cursor of what comes after them; null at the end. */
  async list(page: RunPage): Promise<{ runs: RunRecord[]; nextCursor: string | null }> {
    const found = await database.many<RunRecord>(pageStatement(page))
    const runs = found.slice(0, page.limit)
    if (found.length > page.limit) return { runs, nextCursor: runs.at(-1)?.id ?? null }
    const [last] = await database.many<{ id: string }>(lastLookedAt(page))
    return { runs, nextCursor: last?.id ?? null }
  },

  async find(workspaceId: string, id: string): Promise<KeptRun | undefined> {
    const [row] = await database.many<KeptRun>(sql`
      select ${recordColumns}, input, revision from runtime.runs where id = ${id} and workspace_id = ${workspaceId}`)
    return row
  },

  /**
   * Ids of the newest runs of a filter to which something can be done, `limit` at most, among the newest `lookedAt`.
   */
  async listIds(page: Omit<RunPage, 'cursor'>, action: BulkAction): Promise<string[]> {
    const rows = await database.many<{ id: string }>(
      sql`
        select id from (${lookedAt({ ...page, cursor: undefined }, sql`*`)}) runs
        where ${join([canBe[action], ...conditions(page.filter)], ' and ')} limit ${page.limit}`,
      { timeoutMs: LIST_TIMEOUT_MS },
    )
    return rows.map(({ id }) => id)
  },

  /** Where a run stands, and what it answered if that is kept. */
  async findOutcome(workspaceId: string, id: string): Promise<KeptOutcome | undefined> {
    const [row] = await database.many<KeptOutcome>(sql`
      select status, finished_at as "finishedAt", output, error from runtime.runs
      where id = ${id} and workspace_id = ${workspaceId}`)
    return row
  },
})

/**
 * The last retry of a run. Nobody else makes one until the transaction ends.
 */
export async function lockRetries(tx: Queries, { workspaceId, runId }: RunPlace): Promise<Run['retriedBy']> {
  await tx.many(sql`
    select from runtime.runs where id = ${runId} and workspace_id = ${workspaceId} for no key update`)
  const [row] = await tx.many<{ last: Run['retriedBy'] }>(
    sql`select ${lastRetryOf(sql`${runId}::uuid`)} as last`,
  )
  return row?.last ?? null
}

/** One more than the page has, so that it is known whether there is more. */
export const pageStatement = (page: RunPage): Sql => sql`
  select ${recordColumns} from (${lookedAt(page, sql`*`)}) runs
  where ${join([sql`true`, ...conditions(page.filter)], ' and ')}
  limit ${page.limit + 1}`

const lastLookedAt = (page: RunPage): Sql => sql`
  select id from (${lookedAt(page, sql`id`)}) r offset ${page.lookedAt - 1} limit 1`

/**
 * What an index leads to, and no more of it than a page may look at. With a list of one workspace the order is that of
 * the index that begins with the workspace: along the primary key, which is in the order of the ids as well, all that
 * others ran since the last run of a quiet workspace would be looked at.
 */
const lookedAt = ({ workspaceId, filter, cursor, lookedAt: most }: RunPage, what: Sql): Sql => {
  const { after, before, origin } = filter
  const ranges = [
    sql`workspace_id = any(${[workspaceId]}::text[])`,
    ...(cursor === undefined ? [] : [sql`id < ${cursor}`]),
    ...(after === undefined ? [] : [sql`id >= ${lowestIdAt(after)}`]),
    ...(before === undefined ? [] : [sql`id < ${lowestIdAt(before)}`]),
    ...(origin === undefined ? [] : [sql`origin_id = ${origin}`]),
    ...(wantsFailedOnly(filter) ? [sql`status = 'failed'`] : []),
  ]
  return sql`
    select ${what} from runtime.runs where ${join(ranges, ' and ')} order by workspace_id, id desc limit ${most}`
}

const lowestIdAt = (instant: string): string => lowestUuidv7(Math.max(0, Date.parse(instant)))

/** A queued run that waits for its time is stored as waiting: the version before claims what is queued. */
const hasStatus = (status: NonNullable<RunFilter['status']>): Sql => {
  const others = status.filter((one) => one !== 'waiting')
  const isParked = sql`coalesce(waits_for in ('event', 'time'), false)`
  return join(
    [
      sql`status = any(${others}::text[])`,
      ...(status.includes('queued') ? [sql`status = 'waiting' and not ${isParked}`] : []),
      ...(status.includes('waiting') ? [sql`status = 'waiting' and ${isParked}`] : []),
    ].map((one) => sql`(${one})`),
    ' or ',
  )
}

const wantsFailedOnly = ({ status, deadLetter }: RunFilter): boolean =>
  deadLetter === true || status?.every((one) => one === 'failed') === true

/** What is asked of each run that is looked at. */
function conditions({ status, deadLetter, automation, trigger, correlationId, text }: RunFilter): Sql[] {
  return [
    ...(status === undefined ? [] : [sql`(${hasStatus(status)})`]),
    ...(deadLetter === undefined ? [] : [sql`dead_letter = ${deadLetter}`]),
    ...(deadLetter === true ? [sql`not ${hasSucceededAgain}`] : []),
    ...(automation === undefined ? [] : [sql`automation_slug = ${automation}`]),
    ...(trigger === undefined ? [] : [sql`trigger_type = any(${trigger}::text[])`]),
    ...(correlationId === undefined ? [] : [sql`correlation_id = ${correlationId}`]),
    ...(text === undefined ? [] : [holdsText(text)]),
  ]
}

const holdsText = (text: string): Sql => sql`
  position(lower(${text}) in lower(
    concat_ws(chr(10), automation_slug, trigger_value, trigger_id, id::text, error ->> 'message'))) > 0`
