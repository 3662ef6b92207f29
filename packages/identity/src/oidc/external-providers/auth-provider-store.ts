import type { AuthProviderConfig } from '@platform/contracts'
import { type Database, isUniqueViolation, type Queries, type Sql, sql } from '@platform/database'
import type { MasterKeyRing } from '@platform/master-keys'
import type { SealedColumn } from '../../keys/master-keys/sealed-column-store.ts'
import { type AuthProvider, domainUsed, slugUsed } from './auth-provider.ts'

export type AuthProviderStore = ReturnType<typeof authProviderStore>

interface Row extends Omit<AuthProvider, 'source' | 'config' | 'orgSlug' | 'name' | 'icon'> {
  orgSlug: string
  name: string | null
  icon: string | null
  config: Omit<AuthProviderConfig, 'client_secret'>
  sealedSecret: string | null
}

const sealContextOf = (id: string) => `gateway.auth_providers|${id}|client_secret`

/** Where they are kept, for the job that seals them again with a new master key. */
export const sealedProviderSecrets: SealedColumn = {
  table: 'gateway.auth_providers',
  key: 'id',
  column: 'client_secret',
}

const columns = sql`id, org_slug as "orgSlug", slug, name, icon, type, config, client_secret as "sealedSecret",
  attributes_mapping as "attributesMapping", enabled, meta,
  array(select domain from gateway.auth_provider_domains where provider_id = auth_providers.id
  order by domain) as domains`

/** The providers of organizations. The secrets of their clients are sealed. */
export const authProviderStore = (database: Database, masterKeys: MasterKeyRing) => {
  const read = async (queries: Queries, rest: Sql): Promise<AuthProvider[]> => {
    const rows = await queries.many<Row>(sql`select ${columns} from gateway.auth_providers ${rest}`)
    return rows.map((row) => toProvider(row, masterKeys))
  }
  return {
    listOfOrg: (orgSlug: string) => read(database, sql`where org_slug = ${orgSlug} order by slug limit 500`),

    findBySlug: async (slug: string): Promise<AuthProvider | undefined> =>
      (await read(database, sql`where slug = ${slug}`))[0],

    findByDomain: async (domain: string): Promise<AuthProvider | undefined> =>
      (
        await read(
          database,
          sql`where id = (select provider_id from gateway.auth_provider_domains where domain = ${domain})`,
        )
      )[0],

    /** Inside `tx`, nobody else changes it until the transaction ends. */
    lock: async (tx: Queries, orgSlug: string, slug: string): Promise<AuthProvider | undefined> =>
      (await read(tx, sql`where org_slug = ${orgSlug} and slug = ${slug} for update`))[0],

    /** Throws AlreadyUsed for a slug, DomainAlreadyUsed for a domain that another provider of the platform has. */
    async insert(tx: Queries, provider: AuthProvider): Promise<void> {
      const rows = await tx.many(sql`
        insert into gateway.auth_providers
          (id, org_slug, slug, name, icon, type, config, client_secret, attributes_mapping, enabled, meta)
        values (${provider.id}, ${provider.orgSlug ?? ''}, ${provider.slug}, ${provider.name ?? null},
          ${provider.icon ?? null}, ${provider.type}, ${configText(provider)}::jsonb, ${sealed(provider, masterKeys)},
          ${JSON.stringify(provider.attributesMapping)}::jsonb, ${provider.enabled},
          ${JSON.stringify(provider.meta)}::jsonb)
        on conflict do nothing returning id`)
      if (rows.length === 0) throw slugUsed(provider.slug)
      await insertDomains(tx, provider)
    },

    /** Replaces everything but its id, slug and organization. Throws DomainAlreadyUsed. */
    async update(tx: Queries, provider: AuthProvider): Promise<void> {
      await tx.many(sql`
        update gateway.auth_providers set name = ${provider.name ?? null}, icon = ${provider.icon ?? null},
          type = ${provider.type}, config = ${configText(provider)}::jsonb,
          client_secret = ${sealed(provider, masterKeys)}, enabled = ${provider.enabled},
          attributes_mapping = ${JSON.stringify(provider.attributesMapping)}::jsonb,
          meta = ${JSON.stringify(provider.meta)}::jsonb, updated_at = now()
        where id = ${provider.id}`)
      await tx.many(sql`delete from gateway.auth_provider_domains where provider_id = ${provider.id}`)
      await insertDomains(tx, provider)
    },

    remove: (tx: Queries, id: string) => tx.many(sql`delete from gateway.auth_providers where id = ${id}`),
  }
}

async function insertDomains(tx: Queries, { id, domains }: AuthProvider): Promise<void> {
  for (const domain of domains.toSorted()) {
    try {
      await tx.many(
        sql`insert into gateway.auth_provider_domains (domain, provider_id) values (${domain}, ${id})`,
      )
    } catch (error) {
      throw isUniqueViolation(error) ? domainUsed(domain) : error
    }
  }
}

function configText({ config }: AuthProvider): string {
  const { client_secret: _, ...open } = config
  return JSON.stringify(open)
}

const sealed = ({ id, config }: AuthProvider, masterKeys: MasterKeyRing): string | null =>
  config.client_secret === undefined ? null : masterKeys.seal(config.client_secret, sealContextOf(id))

function toProvider({ sealedSecret, ...row }: Row, masterKeys: MasterKeyRing): AuthProvider {
  const secret =
    sealedSecret === null ? {} : { client_secret: masterKeys.open(sealedSecret, sealContextOf(row.id)) }
  return {
    ...row,
    name: row.name ?? undefined,
    icon: row.icon ?? undefined,
    source: 'database',
    config: { ...row.config, ...secret },
  }
}
