import { type Database, one, type Queries, sql } from '@platform/database'
import type { Outbox } from '@platform/outbox'
import { recordEvents } from './record-events.ts'
import type { MetricOfDay, Tally } from './usage.ts'

const READ_MS = 5000
const COUNT_MS = 10_000
const FORGET_BATCH = 5000

const tables = [sql`events.usage_transactions`, sql`events.usage_visitors`, sql`events.usage_metrics`]

/** Days from one up to another, which doesn't count, as YYYY-MM-DD. */
export interface Days {
  from: string
  until: string
}

/** Counts by day or month; `date` is null in the row over all days. */
export interface CountRow {
  date: string | null
  kind: string
  count: number
}

/** Statements on the figures of usage. */
export function usageStore(database: Database, outbox: Pick<Outbox, 'addRecords'>) {
  return {
    /** The sequence of the log up to which everything is counted. */
    progress: async (): Promise<number> =>
      (await one<{ sequence: number }>(database, sql`select sequence from events.usage_progress`)).sequence,

    /**
     * Adds what the events between two sequences say, and emits it as events; false when another process has added
     * them.
     */
    add: (counted: Tally, between: { from: number; to: number }): Promise<boolean> =>
      database.transaction(
        async (tx) => {
          const isAdded = await add(tx, counted, between)
          if (isAdded) await outbox.addRecords(tx, recordEvents(counted.transactions))
          return isAdded
        },
        { timeoutMs: COUNT_MS },
      ),

    transactions: (workspaceId: string, { from, until }: Days, interval: 'day' | 'month') =>
      database.many<CountRow>(
        sql`
          select to_char(date_trunc(${interval}, day::timestamp), 'YYYY-MM-DD') as date, kind,
            sum(count)::float8 as count
          from events.usage_transactions
          where workspace_id = ${workspaceId} and day >= ${from}::date and day < ${until}::date
          group by grouping sets ((1, kind), (kind)) order by 1`,
        { timeoutMs: READ_MS },
      ),

    /** Each visitor once in each span; on a day they are that already. */
    visitors: (workspaceId: string, { from, until }: Days, interval: 'day' | 'month') => {
      const asked = sql`
        from events.usage_visitors
        where workspace_id = ${workspaceId} and day >= ${from}::date and day < ${until}::date`
      const spans =
        interval === 'day'
          ? sql`select day as span, kind ${asked}`
          : sql`select distinct date_trunc('month', day::timestamp) as span, kind, visitor ${asked}`
      return database.many<CountRow>(
        // Made different first and counted then: that hashes, where count(distinct …) sorts.
        sql`
          select null as date, kind, count(*)::float8 as count
          from (select distinct kind, visitor ${asked}) as visitors group by kind
          union all
          select to_char(span, 'YYYY-MM-DD'), kind, count(*)::float8
          from (${spans}) as spans group by span, kind`,
        { timeoutMs: READ_MS },
      )
    },

    metrics: (workspaceId: string, { from, until }: Days) =>
      database.many<MetricOfDay>(
        sql`
          select workspace_id as "workspaceId", to_char(day, 'YYYY-MM-DD') as day, app, instance, metric, base, added
          from events.usage_metrics
          where workspace_id = ${workspaceId} and day >= ${from}::date and day < ${until}::date
          order by app, instance, metric, day`,
        { timeoutMs: READ_MS },
      ),

    /** Forgets the figures of a workspace, batch by batch: it may have had many visitors. */
    forgetWorkspace: async (workspaceId: string): Promise<void> => {
      for (const table of tables) {
        const ofWorkspace = sql`
          delete from ${table} where ctid = any(array(
            select ctid from ${table} where workspace_id = ${workspaceId} limit ${FORGET_BATCH}))
          returning 1`
        const forget = () => database.many(ofWorkspace, { timeoutMs: COUNT_MS })
        while ((await forget()).length === FORGET_BATCH);
      }
    },

    /** Forgets who was there before a day; their numbers of those days go with them. Answers how many rows it took. */
    forgetVisitors: async (before: string, limit: number): Promise<number> => {
      const gone = await database.many(
        sql`
          delete from events.usage_visitors where ctid in (
            select ctid from events.usage_visitors where day < ${before}::date limit ${limit})
          returning 1`,
        { timeoutMs: COUNT_MS },
      )
      return gone.length
    },
  }
}

export type UsageStore = ReturnType<typeof usageStore>

/** The process that moves the progress adds: all others see that it has moved. */
async function add(
  tx: Queries,
  counted: Tally,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const moved = await tx.many(
    sql`update events.usage_progress set sequence = ${to} where sequence = ${from} returning 1`,
  )
  if (moved.length === 0) return false
  const { transactions, visitors, metrics } = counted
  if (transactions.length > 0)
    await tx.many(sql`
      insert into events.usage_transactions as known (workspace_id, day, kind, count)
      select "workspaceId", day, kind, count
      from jsonb_to_recordset(${JSON.stringify(transactions)}::jsonb)
        as input ("workspaceId" text, day date, kind text, count bigint)
      on conflict (workspace_id, day, kind) do update set count = known.count + excluded.count`)
  if (visitors.length > 0)
    await tx.many(sql`
      insert into events.usage_visitors (workspace_id, day, kind, visitor)
      select "workspaceId", day, kind, visitor
      from jsonb_to_recordset(${JSON.stringify(visitors)}::jsonb)
        as input ("workspaceId" text, day date, kind text, visitor text)
      on conflict do nothing`)
  if (metrics.length > 0)
    await tx.many(sql`
      insert into events.usage_metrics as known (workspace_id, day, app, instance, metric, base, added)
      select "workspaceId", day, app, instance, metric, base, added
      from jsonb_to_recordset(${JSON.stringify(metrics)}::jsonb) as input
        ("workspaceId" text, day date, app text, instance text, metric text, base float8, added float8)
      on conflict (workspace_id, day, app, instance, metric) do update set
        base = coalesce(excluded.base, known.base),
        added = case when excluded.base is null then known.added + excluded.added else excluded.added end`)
  return true
}
