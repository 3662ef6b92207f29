import { type Database, migrate, type Queries, type Sql, sql } from '@platform/database'
import { permissionsMigrations } from '../permission-store.ts'
import type { ApiKeyRecord } from './api-key.ts'

/** How a key is named: by its record id, a UUID, or by its SHA-256. */
export type KeyAddress = { id: string } | { keyHash: string }

/** Questions to `permissions.api_keys`; give it a transaction to write with the change that caused it. */
export type ApiKeyStore = ReturnType<typeof apiKeyStore>

const columns: Sql = sql`
  id::text, workspace_id as "workspaceId", name, key_tail as "keyTail", org_slug as "orgSlug", rules,
  created_by as "createdBy", created_as_super_admin as "createdAsSuperAdmin", disabled, expires_at as "expiresAt",
  created_at as "createdAt", updated_at as "updatedAt", last_used_at as "lastUsedAt"`

/** Statements about API keys, run on the pool or in a transaction. A key is stored and found by its SHA-256 alone. */
export const apiKeyStore = (queries: Queries) => ({
  async insert(key: ApiKeyRecord, keyHash: string): Promise<void> {
    await queries.many(sql`
      insert into permissions.api_keys (id, workspace_id, name, key_hash, key_tail, org_slug, rules, created_by,
        created_as_super_admin, disabled, expires_at, created_at, updated_at)
      values (${key.id}, ${key.workspaceId}, ${key.name}, ${keyHash}, ${key.keyTail}, ${key.orgSlug},
        ${JSON.stringify(key.rules)}::jsonb, ${key.createdBy}, ${key.createdAsSuperAdmin}, ${key.disabled},
        ${key.expiresAt}, ${key.createdAt}, ${key.updatedAt})`)
  },

  /**
   * How many keys a workspace has, whatever their state. Until the transaction ends, no other one counts them to make
   * a key.
   */
  async countToInsert(workspaceId: string): Promise<number> {
    await queries.many(sql`select pg_advisory_xact_lock(hashtextextended('apiKeys:' || ${workspaceId}, 0))`)
    const [row] = await queries.many<{ keys: number }>(
      sql`select count(*)::int as keys from permissions.api_keys where workspace_id = ${workspaceId}`,
    )
    return row?.keys ?? 0
  },

  /** Disabled and expired ones too; undefined when there is none, or no more. */
  findByHash: (keyHash: string) => first(queries, sql`where key_hash = ${keyHash}`),

  findById: (id: string) => first(queries, sql`where id = ${id}::uuid`),

  /** The newest key of a workspace with this name that is neither disabled nor expired. */
  async findLiveByName(workspaceId: string, name: string): Promise<ApiKeyRecord | undefined> {
    return await first(
      queries,
      sql`where workspace_id = ${workspaceId} and name = ${name} and not disabled
        and (expires_at is null or expires_at > now()) order by created_at desc limit 1`,
    )
  },

  /** A key of this workspace, by its record id or by its hash. */
  findIn: (workspaceId: string, by: KeyAddress) =>
    first(queries, sql`where workspace_id = ${workspaceId} and ${isAt(by)}`),

  /** The same, locked until the transaction ends. */
  lockIn: (workspaceId: string, by: KeyAddress) =>
    first(queries, sql`where workspace_id = ${workspaceId} and ${isAt(by)} for update`),

  /** Newest first. */
  list: (workspaceId: string, page: { offset: number; limit: number }) =>
    queries.many<ApiKeyRecord>(sql`
      select ${columns} from permissions.api_keys where workspace_id = ${workspaceId}
      order by created_at desc, id limit ${page.limit} offset ${page.offset}`),

  /** Name, rules, expiry and disabling; nothing else of a key ever changes. */
  async update(key: ApiKeyRecord): Promise<void> {
    await queries.many(sql`
      update permissions.api_keys set name = ${key.name}, rules = ${JSON.stringify(key.rules)}::jsonb,
        disabled = ${key.disabled}, expires_at = ${key.expiresAt}, updated_at = ${key.updatedAt}
      where id = ${key.id}::uuid`)
  },

  async remove(id: string): Promise<void> {
    await queries.many(sql`delete from permissions.api_keys where id = ${id}::uuid`)
  },

  /**
   * The latest use of each key, in one statement. Rows are locked in one order: instances write uses of the same keys
   * at the same time.
   */
  async noteUses(uses: readonly { id: string; at: Date }[]): Promise<void> {
    await queries.many(sql`
      with used as (
        select used.* from unnest(
          ${uses.map(({ id }) => id)}::uuid[], ${uses.map(({ at }) => at.toISOString())}::timestamptz[]
        ) as used (id, at)
        join permissions.api_keys as key using (id)
        order by id for update of key
      )
      update permissions.api_keys as key set last_used_at = used.at from used
      where key.id = used.id and (key.last_used_at is null or key.last_used_at < used.at)`)
  },
})

const isAt = (by: KeyAddress): Sql => ('id' in by ? sql`id = ${by.id}::uuid` : sql`key_hash = ${by.keyHash}`)

async function first(queries: Queries, rest: Sql): Promise<ApiKeyRecord | undefined> {
  const [row] = await queries.many<ApiKeyRecord>(sql`select ${columns} from permissions.api_keys ${rest}`)
  return row
}

/**
 * Opens the API keys of `database`, migrating schema `permissions` when this process
 * is the first to start. Rejects with DatabaseError when the database can't answer.
 */
export async function openApiKeys(database: Database): Promise<ApiKeyStore> {
  await migrate(database, permissionsMigrations)
  return apiKeyStore(database)
}
