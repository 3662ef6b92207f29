import { type Database, sql } from '@platform/database'
import type { NewSession, Session } from './sessions.ts'

const PURGE_BATCH = 5000

/** The sessions in the database. */
export const sessionStore = (database: Database) => ({
  insert: (id: string, session: NewSession) =>
    database.many(sql`
      insert into gateway.sessions (id, user_id, client_id, anonymous, expires_at, ip, user_agent)
      values (${id}, ${session.userId}, ${session.clientId}, ${session.anonymous}, ${session.expiresAt},
              ${session.ip ?? null}, ${session.userAgent?.slice(0, 300) ?? null})`),

  /** A session that was not ended and is not over. */
  async findLive(id: string, now: Date): Promise<Session | undefined> {
    const [row] = await database.many<Session>(sql`
      select id as "sessionId", user_id as "userId", client_id as "clientId", anonymous, expires_at as "expiresAt"
      from gateway.sessions
      where id = ${id} and ended_at is null and expires_at > ${now}`)
    return row
  },

  /** Ends a session and notes the ending for every instance, in one statement. Answers the ids to spread. */
  end: (id: string) => endWhere(database, sql`id = ${id}`),

  endAllOf: (userId: string) => endWhere(database, sql`user_id = ${userId}`),

  /** Sessions that are over have nothing to say any more. Answers how many were deleted. */
  async deleteOver(now: Date): Promise<number> {
    const rows = await database.many(sql`
      delete from gateway.sessions where id in (
        select id from gateway.sessions where expires_at < ${now} order by expires_at limit ${PURGE_BATCH})
      returning id`)
    return rows.length
  },
})

async function endWhere(database: Database, condition: ReturnType<typeof sql>): Promise<string[]> {
  const rows = await database.many<{ id: string }>(sql`
    with ended as (update gateway.sessions set ended_at = now() where ended_at is null and ${condition} returning id)
    insert into gateway.revocations (id) select id from ended returning id`)
  return rows.map(({ id }) => id)
}
