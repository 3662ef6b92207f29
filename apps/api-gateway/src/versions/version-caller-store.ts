import type { VersionCaller } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import type { VersionUse } from './version-uses.ts'

export type VersionCallerStore = ReturnType<typeof versionCallerStore>

/** A caller as it is stored: empty texts stand for what there is none of. */
export interface VersionCallerRow extends Pick<VersionCaller, 'kind' | 'count'> {
  behaviourOf: string
  callerId: string
  clientId: string
  firstSeenAt: Date
  lastSeenAt: Date
}

/** Who calls which version, counted. */
export const versionCallerStore = (database: Database) => ({
  /** Adds counts in one statement. Rows are locked in one order: instances write the same callers at once. */
  add: (uses: readonly VersionUse[]) =>
    database.many(sql`
      insert into gateway.api_version_callers as known
        (version, behaviour_of, kind, caller_id, client_id, count, first_seen_at, last_seen_at)
      select * from unnest(
        ${uses.map((use) => use.version)}::text[], ${uses.map((use) => use.behaviourOf)}::text[],
        ${uses.map((use) => use.kind)}::text[], ${uses.map((use) => use.callerId)}::text[],
        ${uses.map((use) => use.clientId)}::text[], ${uses.map((use) => use.count)}::bigint[],
        ${uses.map((use) => new Date(use.firstAt).toISOString())}::timestamptz[],
        ${uses.map((use) => new Date(use.lastAt).toISOString())}::timestamptz[])
      order by 1, 2, 3, 4, 5
      on conflict (version, behaviour_of, kind, caller_id, client_id) do update set
        count = known.count + excluded.count,
        first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`),

  /** The callers of a version, the latest first. */
  listOf: (version: string, page: { offset: number; limit: number }) =>
    database.many<VersionCallerRow>(sql`
      select behaviour_of as "behaviourOf", kind, caller_id as "callerId", client_id as "clientId",
        count::float8 as count, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"
      from gateway.api_version_callers where version = ${version}
      order by last_seen_at desc, behaviour_of, kind, caller_id, client_id
      limit ${page.limit} offset ${page.offset}`),

  /** Forgets at most `limit` callers that were not seen since `before`. Returns how many. */
  async deleteUnseen(before: Date, limit: number): Promise<number> {
    const rows = await database.many(sql`
      delete from gateway.api_version_callers where ctid in (
        select ctid from gateway.api_version_callers where last_seen_at < ${before}
        limit ${limit} for update skip locked)
      returning 1`)
    return rows.length
  },
})
