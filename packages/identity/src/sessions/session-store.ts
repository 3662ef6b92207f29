import { type Database, groupCommit, type Queries, type Sql, sql } from '@platform/database'
import type { Use } from '../credentials/recent-uses.ts'
import { withoutBasis } from './session-basis-store.ts'
import type { EndedSession, SessionTrail } from './session-trail.ts'
import { type AlsoEnd, type Ending, type Session, type StartedSession, siteOf } from './sessions.ts'

export type SessionStore = ReturnType<typeof sessionStore>

/** A session as it is kept. */
export interface SessionRecord {
  sessionId: string
  clientId: string
  clientName: string | null
  userAgent: string | null
  ip: string | null
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date
}

const PURGE_BATCH = 5000

/** A session to be started; `isStarted` unless its basis was gone. */
interface WantedStart {
  session: StartedSession
  isStarted: boolean
}

/** A session to be ended; `isEnded` once that is committed, unless it was before. */
interface WantedEnding {
  id: string
  ending: Ending
  isEnded: boolean
}

/**
 * The sessions in the database. What many people start or end at once shares a transaction, and the trail is locked
 * once for all.
 */
export const sessionStore = (database: Database, trail: SessionTrail) => {
  const starting = groupCommit<WantedStart>((wanted) => startTogether(database, trail, wanted))
  const ending = groupCommit<WantedEnding>((wanted) => endTogether(database, trail, wanted))
  return {
    /** Starts a session, with its event and its audit row; false when its basis is gone. */
    async insert(session: StartedSession): Promise<boolean> {
      const wanted = { session, isStarted: false }
      await starting.add(wanted)
      return wanted.isStarted
    },

    /** A session that was not ended and is not over. */
    findLive: (id: string, now: Date) => findLive(database, id, now),

    /** The sessions of a user that live, the latest used first. */
    listLive: (userId: string, now: Date, page: { offset: number; limit: number }) =>
      database.many<SessionRecord>(sql`
        select id as "sessionId", client_id as "clientId", client_name as "clientName", user_agent as "userAgent",
          coalesce(last_ip, ip) as ip, created_at as "createdAt", last_used_at as "lastUsedAt",
          expires_at as "expiresAt"
        from gateway.sessions where user_id = ${userId} and ended_at is null and expires_at > ${now}
        order by coalesce(last_used_at, created_at) desc, id limit ${page.limit} offset ${page.offset}`),

    /** True when the session lives and belongs to the user. */
    async isLiveOf(id: string, userId: string, now: Date): Promise<boolean> {
      return (await findLive(database, id, now))?.userId === userId
    },

    /** How a session was signed in to. */
    async providerOf(id: string): Promise<string | undefined> {
      const [row] = await database.many<{ provider: string | null }>(
        sql`select provider from gateway.sessions where id = ${id}`,
      )
      return row?.provider ?? undefined
    },

    noteIssued: (id: string, kid: string) =>
      database.many(sql`
        update gateway.sessions set signing_kid = ${kid} where id = ${id} and signing_kid is distinct from ${kid}`),

    /** The latest use of each session, in one statement. */
    noteUses: (uses: readonly Use[]) => noteUses(database, uses),

    /** Ends a session and notes the ending for every instance, with its audit row. Answers the ids to broadcast. */
    async end(id: string, by: Ending): Promise<string[]> {
      const wanted = { id, ending: by, isEnded: false }
      await ending.add(wanted)
      return wanted.isEnded ? [id] : []
    },

    /** Ends these sessions, and before that, in the same transaction, what `alsoEnd` ends. */
    endAll: (ids: readonly string[], by: Ending, alsoEnd?: AlsoEnd) =>
      database.transaction(async (tx) => {
        await alsoEnd?.(tx)
        return endAllWhere(tx, trail, sql`id = any(${ids}::text[])`, by)
      }),

    /**
     * Ends all sessions of a user, and before that, in the same transaction, what `alsoEnd` ends. The account is
     * locked first: whoever starts a session for it meanwhile waits, and then finds that gone.
     */
    endAllOf: (userId: string, by: Ending, alsoEnd?: AlsoEnd) =>
      database.transaction(async (tx) => {
        await tx.many(sql`select from gateway.users where id = ${userId} for no key update`)
        await alsoEnd?.(tx)
        return endAllWhere(tx, trail, sql`user_id = ${userId}`, by)
      }),

    /** How many rows of anonymous sessions there are, ended ones too; counting stops at `limit`. */
    async countAnonymous(limit: number): Promise<number> {
      const [row] = await database.many<{ count: number }>(sql`
        select count(*)::int as count from (select 1 from gateway.sessions where anonymous limit ${limit}) as counted`)
      return row?.count ?? 0
    },

    /** Sessions that are over have nothing to say any more. Answers how many were deleted. */
    async deleteOver(now: Date): Promise<number> {
      const rows = await database.many(sql`
        delete from gateway.sessions where id in (
          select id from gateway.sessions where expires_at < ${now} order by expires_at limit ${PURGE_BATCH})
        returning id`)
      return rows.length
    },
  }
}

const startTogether = (database: Database, trail: SessionTrail, wanted: readonly WantedStart[]) =>
  database.transaction(async (tx) => {
    const gone = await withoutBasis(
      tx,
      wanted.map(({ session }) => session),
    )
    for (const one of wanted) one.isStarted = !gone.has(one.session.sessionId)
    const sessions = wanted.filter(({ isStarted }) => isStarted).map(({ session }) => session)
    if (sessions.length > 0) await insertAll(tx, sessions)
    if (sessions.some(({ signIn }) => signIn !== undefined)) await trail.started(tx, sessions)
  })

async function insertAll(tx: Queries, sessions: readonly StartedSession[]): Promise<void> {
  const rows = sessions.map(({ signIn, basis: _, ...session }) => ({
    id: session.sessionId,
    user_id: session.userId,
    client_id: session.clientId,
    client_name: session.clientName ?? null,
    anonymous: session.anonymous,
    expires_at: session.expiresAt,
    ip: session.ip ?? null,
    user_agent: session.userAgent?.slice(0, 300) ?? null,
    signing_kid: session.signingKid ?? null,
    provider: signIn?.provider ?? null,
    site: session.anonymous && session.ip !== undefined ? siteOf(session.ip) : null,
  }))
  await tx.many(sql`
    insert into gateway.sessions
      (id, user_id, client_id, client_name, anonymous, expires_at, ip, user_agent, signing_kid, provider, site)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id text, user_id text, client_id text,
      client_name text, anonymous boolean, expires_at timestamptz, ip text, user_agent text, signing_kid text,
      provider text,
      site text)`)
}

async function findLive(database: Database, id: string, now: Date): Promise<Session | undefined> {
  const [row] = await database.many<Session>(sql`
    select id as "sessionId", user_id as "userId", client_id as "clientId", anonymous, expires_at as "expiresAt"
    from gateway.sessions
    where id = ${id} and ended_at is null and expires_at > ${now}`)
  return row
}

const noteUses = (database: Database, uses: readonly Use[]) =>
  database.many(sql`
    with used as (
      select used.* from unnest(${uses.map(({ id }) => id)}::text[],
      ${uses.map(({ at }) => at.toISOString())}::timestamptz[],
        ${uses.map(({ ip }) => ip)}::text[]) as used (id, at, ip)
      join gateway.sessions as session using (id)
      -- Instances write uses of the same sessions at the same time: in one order, none waits for one that waits for it.
      order by id for update of session
    )
    update gateway.sessions as session set last_used_at = used.at, last_ip = used.ip from used
    where session.id = used.id and (session.last_used_at is null or session.last_used_at < used.at)`)

const endTogether = (database: Database, trail: SessionTrail, wanted: readonly WantedEnding[]) =>
  database.transaction(async (tx) => {
    const byId = new Map(wanted.map((one) => [one.id, one]))
    const rows = await endWhere(tx, sql`id = any(${[...byId.keys()]}::text[])`)
    const ended = rows.map((row) => ({ ...row, ending: byId.get(row.sessionId)?.ending ?? {} }))
    if (ended.length > 0) await trail.ended(tx, ended)
    for (const { sessionId } of ended) {
      const one = byId.get(sessionId)
      if (one !== undefined) one.isEnded = true
    }
  })

/** Ends the sessions that a condition selects, with their audit rows. Answers the ids to broadcast. */
async function endAllWhere(
  tx: Queries,
  trail: SessionTrail,
  condition: Sql,
  ending: Ending,
): Promise<string[]> {
  const ended = (await endWhere(tx, condition)).map((row) => ({ ...row, ending }))
  if (ended.length > 0) await trail.ended(tx, ended)
  return ended.map(({ sessionId }) => sessionId)
}

/** Ends what has not ended yet and notes it for every instance, in one statement. */
const endWhere = (tx: Queries, condition: Sql) =>
  tx.many<Omit<EndedSession, 'ending'>>(sql`
    with locked as (
      -- In the order in which uses are written.
      select id from gateway.sessions where ended_at is null and ${condition} order by id for update
    ), ended as (
      update gateway.sessions set ended_at = now() where id in (select id from locked) returning *
    ), noted as (
      insert into gateway.revocations (id) select id from ended
    )
    select id as "sessionId", user_id as "userId", client_id as "clientId" from ended`)
