import { type Database, sql } from '@platform/database'

/** What making room came to. */
export interface MadeRoom {
  /** The site with the most sessions; undefined for those of before sites were kept. */
  site: string | undefined
  /** Sessions that were ended for it. */
  sessionIds: string[]
}

/** Finds the site with the most anonymous sessions and takes away those that were not used for the longest time. */
export const crowdedSiteStore = (database: Database) => ({
  /**
   * For somebody of that very site only what was idle since `idleSince` gives way; for everybody else what was idle
   * the longest.
   */
  makeRoom: (wanted: { site: string; idleSince: Date; limit: number }): Promise<MadeRoom> =>
    database.transaction(async (tx) => {
      const [crowded] = await tx.many<{ site: string | null }>(sql`
        select site from gateway.sessions where anonymous group by site order by count(*) desc, site limit 1`)
      if (crowded === undefined) return { site: undefined, sessionIds: [] }
      const { site } = crowded
      const before = site === wanted.site ? wanted.idleSince : new Date()
      const gone = await tx.many<{ id: string }>(sql`
        with idle as (
          select id from gateway.sessions
          where anonymous and site is not distinct from ${site} and coalesce(last_used_at, created_at) <= ${before}
          order by coalesce(last_used_at, created_at), id limit ${wanted.limit} for update skip locked
        ), gone as (
          delete from gateway.sessions where id in (select id from idle) returning id, user_id
        ), visitors as (
          update gateway.users set expires_at = now() where expires_at is not null and id in (select user_id from gone)
        ), noted as (
          insert into gateway.revocations (id) select id from gone
        )
        select id from gone`)
      return { site: site ?? undefined, sessionIds: gone.map(({ id }) => id) }
    }),
})
