import { type Queries, type Sql, sql } from '@platform/database'

export type SignInStore = ReturnType<typeof signInStore>

/** Which session the tokens of a grant belong to. */
export interface SignIn {
  grantId: string
  sessionId: string
  /** The browser session it was given in. */
  browserUid: string | undefined
  accountId: string
}

/** Grants and the sessions of their tokens. */
export const signInStore = (database: Queries) => ({
  /** Keeps the first session of a grant; answers the one that counts. */
  async insert(signIn: SignIn, expiresAt: Date): Promise<string> {
    const [row] = await database.many<{ sessionId: string }>(sql`
      insert into gateway.oidc_sign_ins (grant_id, session_id, browser_uid, account_id, expires_at)
      values (${signIn.grantId}, ${signIn.sessionId}, ${signIn.browserUid ?? null}, ${signIn.accountId}, ${expiresAt})
      on conflict (grant_id) do update set expires_at = greatest(oidc_sign_ins.expires_at, excluded.expires_at)
      returning session_id as "sessionId"`)
    return row?.sessionId ?? signIn.sessionId
  },

  findOfGrant: async (grantId: string): Promise<SignIn | undefined> =>
    (await listWhere(database, sql`grant_id = ${grantId}`))[0],

  listOfGrants: (grantIds: readonly string[]): Promise<SignIn[]> =>
    listWhere(database, sql`grant_id = any(${grantIds}::text[])`),

  findOfSession: async (sessionId: string): Promise<SignIn | undefined> =>
    (await listWhere(database, sql`session_id = ${sessionId}`))[0],

  /** What was signed in to from one browser session since an instant. */
  listOfBrowser: (browserUid: string, since: Date): Promise<SignIn[]> =>
    listWhere(database, sql`browser_uid = ${browserUid} and created_at >= ${since}`),

  destroyOfAccount: async (accountId: string): Promise<void> => {
    await database.many(sql`delete from gateway.oidc_sign_ins where account_id = ${accountId}`)
  },

  /** Removes what nobody can use any more, a bounded batch at once. Answers how many. */
  async sweep(before: Date, limit: number): Promise<number> {
    const rows = await database.many(sql`
      delete from gateway.oidc_sign_ins where grant_id in (
        select grant_id from gateway.oidc_sign_ins where expires_at <= ${before} limit ${limit}
      ) returning 1`)
    return rows.length
  },
})

async function listWhere(database: Queries, where: Sql): Promise<SignIn[]> {
  const rows = await database.many<Omit<SignIn, 'browserUid'> & { browserUid: string | null }>(sql`
    select grant_id as "grantId", session_id as "sessionId", browser_uid as "browserUid", account_id as "accountId"
    from gateway.oidc_sign_ins where ${where}`)
  return rows.map((row) => ({ ...row, browserUid: row.browserUid ?? undefined }))
}
