import { type Database, sql } from '@platform/database'

/** Counting may read many rows; it is asked by operators only. */
const SLOW = { timeoutMs: 10_000 }
const CLIENTS_SHOWN = 100

/** Whose sessions end when what a key has signed is refused. */
export interface SessionsOfKey {
  sessions: number
  users: number
  clients: { clientId: string; sessions: number }[]
}

export type SessionsByKeyStore = ReturnType<typeof sessionsByKeyStore>

/** Live sessions by the key that signed their latest JWT. */
export const sessionsByKeyStore = (database: Database) => ({
  async countByKid(now: Date): Promise<Map<string, number>> {
    const rows = await database.many<{ kid: string; sessions: number }>(
      sql`
        select signing_kid as kid, count(*)::int as sessions from gateway.sessions
        where signing_kid is not null and ended_at is null and expires_at > ${now} group by signing_kid`,
      SLOW,
    )
    return new Map(rows.map(({ kid, sessions }) => [kid, sessions]))
  },

  /** A session whose user is its client belongs to a program, so it counts no person. */
  async findOfKid(kid: string, now: Date): Promise<SessionsOfKey> {
    const [totals] = await database.many<{ sessions: number; users: number }>(
      sql`
        select count(*)::int as sessions, count(distinct user_id) filter (where user_id <> client_id)::int as users
        from gateway.sessions where signing_kid = ${kid} and ended_at is null and expires_at > ${now}`,
      SLOW,
    )
    const clients = await database.many<{ clientId: string; sessions: number }>(
      sql`
        select client_id as "clientId", count(*)::int as sessions
        from gateway.sessions where signing_kid = ${kid} and ended_at is null and expires_at > ${now}
        group by client_id order by count(*) desc, client_id limit ${CLIENTS_SHOWN}`,
      SLOW,
    )
    return { sessions: totals?.sessions ?? 0, users: totals?.users ?? 0, clients }
  },
})
