import { empty, join, type Queries, sql } from '@platform/database'
import type { AuditFilter } from './audit.ts'
import type { StoredRow } from './chain.ts'

type Row = Omit<StoredRow, 'sequence'> & { sequence: string }

/** The rows of the trail. */
export const auditStore = (queries: Queries) => ({
  /** Nobody else adds a row until the transaction ends. */
  lock: () => queries.many(sql`select pg_advisory_xact_lock(hashtextextended('audit.entries', 0))`),

  async newest(): Promise<{ sequence: number; hash: string } | undefined> {
    const [row] = await queries.many<Row>(
      sql`select sequence, hash from audit.entries order by sequence desc limit 1`,
    )
    return row && { sequence: Number(row.sequence), hash: row.hash }
  },

  insert: (rows: readonly StoredRow[]) =>
    queries.many(sql`
      insert into audit.entries (sequence, at, action, actor, subject, ip, correlation_id, details, hash)
      select * from unnest(${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.at)}::timestamptz[],
        ${rows.map((row) => row.action)}::text[], ${rows.map((row) => row.actor)}::text[],
        ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.ip)}::text[],
        ${rows.map((row) => row.correlationId)}::text[], ${rows.map((row) => row.details)}::text[],
        ${rows.map((row) => row.hash)}::text[])`),

  /** Rows after a position, oldest first. */
  listAfter: (sequence: number, limit: number): Promise<StoredRow[]> =>
    read(queries, sql`where sequence > ${sequence} order by sequence limit ${limit}`),

  /** Newest first. */
  list: ({ before, action, subject, actor, limit }: AuditFilter): Promise<StoredRow[]> => {
    const conditions = [
      before === undefined ? [] : [sql`sequence < ${before}`],
      action === undefined ? [] : [sql`action = ${action}`],
      subject === undefined ? [] : [sql`subject = ${subject}`],
      actor === undefined ? [] : [sql`actor = ${actor}`],
    ].flat()
    const where = conditions.length === 0 ? empty : sql`where ${join(conditions, ' and ')}`
    return read(queries, sql`${where} order by sequence desc limit ${limit}`)
  },
})

async function read(queries: Queries, rest: ReturnType<typeof sql>): Promise<StoredRow[]> {
  const rows = await queries.many<Row>(sql`
    select sequence, at, action, actor, subject, ip, correlation_id as "correlationId", details, hash
    from audit.entries ${rest}`)
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }))
}
