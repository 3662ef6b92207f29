import type { Audit } from '@platform/audit'
import { resourceScopes } from '@platform/contracts'
import { type Database, one, type Queries, type Sql, sql } from '@platform/database'
import { Failure, isUuid } from '@platform/kernel'
import type { Use } from '../recent-uses.ts'
import type { AccessTokenRecord } from './access-token.ts'

export type AccessTokenStore = ReturnType<typeof accessTokenStore>

/** Who does it, for the audit trail. */
interface By {
  ip: string
  correlationId: string
}

const fields: Sql = sql`id::text as "_id", user_id as "userId", name, created_at as "createdAt",
  expires_at as "expiresAt",
  last_used_at as "lastUsedAt", coalesce(scopes, ${[...resourceScopes]}::text[]) as scopes`

/** The access tokens in the database; a token is found by its hash alone. */
export const accessTokenStore = (database: Database, audit: Pick<Audit, 'record'>) => ({
  /** Throws ForbiddenError when the user has `max` live tokens already. */
  insert: (
    token: { userId: string; name: string; scopes: readonly string[]; tokenHash: string; expiresAt: Date },
    by: By,
    { max, now }: { max: number; now: Date },
  ) =>
    database.transaction(async (tx) => {
      if ((await countToInsert(tx, token.userId, now)) >= max) throw tooManyTokens(max)
      const record = await one<AccessTokenRecord>(
        tx,
        sql`
          insert into gateway.access_tokens (user_id, name, scopes, token_hash, expires_at)
          values (${token.userId}, ${token.name}, ${[...token.scopes]}, ${token.tokenHash}, ${token.expiresAt})
          returning ${fields}`,
      )
      await audit.record(tx, { action: 'accessToken.created', ...entryOf(record, by) })
      return record
    }),

  /** The record of a token that has not expired. */
  async findByHash(tokenHash: string, now: Date): Promise<AccessTokenRecord | undefined> {
    const [record] = await database.many<AccessTokenRecord>(sql`
      select ${fields} from gateway.access_tokens where token_hash = ${tokenHash} and expires_at > ${now}`)
    return record
  },

  /** The same by the id of the record. */
  async findById(id: string, now: Date): Promise<AccessTokenRecord | undefined> {
    if (!isUuid(id)) return undefined
    const [record] = await database.many<AccessTokenRecord>(sql`
      select ${fields} from gateway.access_tokens where id = ${id}::uuid and expires_at > ${now}`)
    return record
  },

  /** Newest first. */
  listOf: (userId: string, page: { offset: number; limit: number }) =>
    database.many<AccessTokenRecord>(sql`
      select ${fields} from gateway.access_tokens where user_id = ${userId} order by created_at desc, id
      limit ${page.limit} offset ${page.offset}`),

  /** Deletes a token of a user and notes it for every instance. */
  revoke: (id: string, userId: string, by: By): Promise<AccessTokenRecord | undefined> =>
    database.transaction(async (tx) => {
      const [record] = await tx.many<AccessTokenRecord>(sql`
        with deleted as (
          delete from gateway.access_tokens where id::text = ${id} and user_id = ${userId} returning *
        ), noted as (
          insert into gateway.revocations (id) select 'at:' || id from deleted
        )
        select ${fields} from deleted`)
      if (record !== undefined)
        await audit.record(tx, { action: 'accessToken.revoked', ...entryOf(record, by) })
      return record
    }),

  /**
   * The latest use of each token, in one statement. Rows are locked in one order: instances write uses of the same
   * tokens at once.
   */
  noteUses: (uses: readonly Use[]) =>
    database.many(sql`
      with used as (
        select used.* from unnest(${uses.map((use) => use.id)}::uuid[],
        ${uses.map((use) => use.at.toISOString())}::timestamptz[]) as used (id, at)
        join gateway.access_tokens as token using (id)
        order by id for update of token
      )
      update gateway.access_tokens as token set last_used_at = used.at from used
      where token.id = used.id and (token.last_used_at is null or token.last_used_at < used.at)`),

  deleteOver: (now: Date) => database.many(sql`delete from gateway.access_tokens where expires_at < ${now}`),
})

/** How many live tokens a user has. Until the transaction ends, nobody else counts them to make one. */
async function countToInsert(tx: Queries, userId: string, now: Date): Promise<number> {
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended('accessTokens:' || ${userId}, 0))`)
  const { tokens } = await one<{ tokens: number }>(
    tx,
    sql`select count(*)::int as tokens from gateway.access_tokens where user_id = ${userId} and expires_at > ${now}`,
  )
  return tokens
}

const tooManyTokens = (max: number) =>
  new Failure(
    'ForbiddenError',
    `You have ${max} access tokens, as many as one may have: revoke some first.`,
    {
      details: { max },
    },
  )

const entryOf = ({ _id, userId, name, scopes, expiresAt }: AccessTokenRecord, { ip, correlationId }: By) => ({
  actor: `user:${userId}`,
  subject: `accessToken:${_id}`,
  ip,
  correlationId,
  details: { name, scopes, expiresAt: expiresAt.toISOString() },
})
