import { type Database, sql } from '@platform/database'

export type LinkedAccountStore = ReturnType<typeof linkedAccountStore>

/** Somebody at a provider. */
export interface ExternalPerson {
  /** Slug of the provider. */
  provider: string
  issuer: string
  externalId: string
}

/** Which account somebody at a provider is. */
export const linkedAccountStore = (database: Database) => ({
  async findUserId({ provider, issuer, externalId }: ExternalPerson): Promise<string | undefined> {
    const [row] = await database.many<{ userId: string }>(sql`
      select user_id as "userId" from gateway.linked_accounts
      where provider = ${provider} and issuer = ${issuer} and external_id = ${externalId}`)
    return row?.userId
  },

  /** Answers whose they are: of two who link the same person at once, the first one's account counts. */
  async link({ provider, issuer, externalId }: ExternalPerson, userId: string): Promise<string> {
    const rows = await database.many<{ userId: string }>(sql`
      insert into gateway.linked_accounts (provider, issuer, external_id, user_id)
      values (${provider}, ${issuer}, ${externalId}, ${userId})
      on conflict (provider, issuer, external_id) do update set user_id = linked_accounts.user_id
      returning user_id as "userId"`)
    return rows[0]?.userId ?? userId
  },
})
