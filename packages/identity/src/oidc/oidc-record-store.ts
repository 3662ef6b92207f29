import { createHash } from 'node:crypto'
import { type Queries, type Sql, sql } from '@platform/database'
import type { AdapterPayload } from 'oidc-provider'

export type OidcRecordStore = ReturnType<typeof oidcRecordStore>

/** Their ids are names, not keys to anything. */
const plainIds = new Set(['Grant', 'Client'])

const keyOf = (model: string, id: string): string =>
  plainIds.has(model) ? id : createHash('sha256').update(id).digest('base64url')

/** The records of the OIDC server. Ids that open something are kept as hashes, and never inside the payload. */
export const oidcRecordStore = (database: Queries) => ({
  upsert: (
    model: string,
    id: string,
    payload: AdapterPayload,
    expiresInSeconds: number | undefined,
  ): Promise<void> => upsert(database, model, id, payload, expiresInSeconds),

  find: async (model: string, id: string): Promise<AdapterPayload | undefined> => {
    const found = await firstPayload(database, sql`model = ${model} and id = ${keyOf(model, id)}`)
    return found && { ...found, jti: id }
  },

  findByUid: (model: string, uid: string): Promise<AdapterPayload | undefined> =>
    firstPayload(database, sql`model = ${model} and uid = ${uid}`),

  findByUserCode: (model: string, userCode: string): Promise<AdapterPayload | undefined> =>
    firstPayload(database, sql`model = ${model} and user_code = ${userCode}`),

  /** Marks a record as used; false when it was used before: of many at once, one wins. */
  async consume(model: string, id: string): Promise<{ won: boolean; grantId: string | undefined }> {
    const key = keyOf(model, id)
    const [row] = await database.many<{ grantId: string | null }>(sql`
      update gateway.oidc_records set consumed_at = now()
      where model = ${model} and id = ${key} and consumed_at is null returning grant_id as "grantId"`)
    if (row !== undefined) return { won: true, grantId: row.grantId ?? undefined }
    const used = await firstPayload(database, sql`model = ${model} and id = ${key}`)
    return { won: false, grantId: used?.grantId }
  },

  destroy: async (model: string, id: string): Promise<void> => {
    await database.many(
      sql`delete from gateway.oidc_records where model = ${model} and id = ${keyOf(model, id)}`,
    )
  },

  revokeByGrantId: async (model: string, grantId: string): Promise<void> => {
    await database.many(
      sql`delete from gateway.oidc_records where model = ${model} and grant_id = ${grantId}`,
    )
  },

  ...grantRecords(database),

  /** Removes what nobody can use any more, a bounded batch at once. Answers how many. */
  async sweep(before: Date, limit: number): Promise<number> {
    const rows = await database.many(sql`
      delete from gateway.oidc_records where (model, id) in (
        select model, id from gateway.oidc_records where expires_at <= ${before} limit ${limit}
      ) returning 1`)
    return rows.length
  },
})

/** Grants, and what depends on them. */
const grantRecords = (database: Queries) => ({
  /** Removes grants with everything issued under them. */
  async destroyGrants(grantIds: readonly string[]): Promise<void> {
    if (grantIds.length === 0) return
    await database.many(sql`
      delete from gateway.oidc_records
      where grant_id = any(${grantIds}::text[]) or (model = 'Grant' and id = any(${grantIds}::text[]))`)
  },

  /** Removes what could start a new session of this account: browser sessions, grants, codes, refresh tokens. */
  async destroyOfAccount(accountId: string): Promise<void> {
    await database.many(sql`delete from gateway.oidc_records where account_id = ${accountId}`)
  },

  listGrantsOfClient: async (clientId: string): Promise<string[]> => {
    const rows = await database.many<{ id: string }>(sql`
      select id from gateway.oidc_records where model = 'Grant' and payload ->> 'clientId' = ${clientId}`)
    return rows.map(({ id }) => id)
  },

  async hasGrant(grantId: string): Promise<boolean> {
    const rows = await database.many(
      sql`select 1 from gateway.oidc_records where model = 'Grant' and id = ${grantId}`,
    )
    return rows.length > 0
  },
})

async function upsert(
  database: Queries,
  model: string,
  id: string,
  payload: AdapterPayload,
  expiresInSeconds: number | undefined,
): Promise<void> {
  const expiresAt = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000)
  const { grantId = null, uid = null, userCode = null, accountId = null } = payload
  await database.many(sql`
    insert into gateway.oidc_records (model, id, payload, grant_id, uid, user_code, account_id, expires_at)
    values (${model}, ${keyOf(model, id)}, ${JSON.stringify(withoutIds(model, payload))}, ${grantId}, ${uid},
    ${userCode},
      ${accountId}, ${expiresAt})
    on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
      user_code = excluded.user_code, account_id = excluded.account_id, expires_at = excluded.expires_at`)
}

/** The id of a token is the token, and an interaction would repeat that of the browser session. */
function withoutIds(model: string, { jti: _, ...payload }: AdapterPayload): Omit<AdapterPayload, 'jti'> {
  if (model !== 'Interaction' || payload.session === undefined) return payload
  const { cookie: __, ...session } = payload.session
  return { ...payload, session }
}

async function firstPayload(database: Queries, where: Sql): Promise<AdapterPayload | undefined> {
  const [row] = await database.many<{ payload: AdapterPayload; consumed: number | null }>(sql`
    select payload, extract(epoch from consumed_at)::bigint as consumed from gateway.oidc_records where ${where}
    limit 1`)
  if (row === undefined) return undefined
  return row.consumed === null ? row.payload : { ...row.payload, consumed: row.consumed }
}
