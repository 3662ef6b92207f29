import { type Queries, sql } from '@platform/database'

export type ConsentStore = ReturnType<typeof consentStore>

/** Who has agreed, with whom, and where the answers go: another place is another agreement. */
export interface ConsentParties {
  accountId: string
  clientId: string
  place: string
}

/** What people have allowed clients that don't belong to the platform. */
export const consentStore = (database: Queries) => ({
  /** True when everything asked for was allowed before. */
  async covers({ accountId, clientId, place }: ConsentParties, scopes: readonly string[]): Promise<boolean> {
    const rows = await database.many(sql`
      select 1 from gateway.oidc_consents
      where account_id = ${accountId} and client_id = ${clientId} and place = ${place} and scopes @> ${scopes}::text[]`)
    return rows.length > 0
  },

  /** Adds to what was allowed before. */
  async add({ accountId, clientId, place }: ConsentParties, scopes: readonly string[]): Promise<void> {
    await database.many(sql`
      insert into gateway.oidc_consents (account_id, client_id, place, scopes)
      values (${accountId}, ${clientId}, ${place}, ${scopes}::text[])
      on conflict (account_id, client_id, place) do update
      set scopes = array(select distinct unnest(oidc_consents.scopes || excluded.scopes)), given_at = now()`)
  },

  destroyOfClient: (clientId: string) =>
    database.many(sql`delete from gateway.oidc_consents where client_id = ${clientId}`),
})
