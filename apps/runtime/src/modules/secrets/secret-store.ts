import { type Queries, sql } from '@platform/database'
import type { SecretPlace } from './secret-parts.ts'

export interface SealedSecret extends SecretPlace {
  readonly sealed: string
}

/** A run that names one of them gets references to all. */
const MAX_NAMES = 1000

/** Before there were others, automations may have set some of these names: nobody sees them any more. */
export const isOfWorkspace = sql`(scope = 'workspace' and not starts_with(name, 'prismeai_'))`

export type SecretStore = ReturnType<typeof secretStore>

export const secretStore = (queries: Queries) => ({
  async find({ workspaceId, scope, owner, name }: SecretPlace): Promise<string | undefined> {
    const [row] = await queries.many<{ sealed: string }>(sql`
      select sealed from runtime.secrets
      where workspace_id = ${workspaceId} and scope = ${scope} and owner = ${owner} and name = ${name}
        and (expires_at is null or expires_at > now())`)
    return row?.sealed
  },

  /** Of the workspace itself, those of its users and of the platform left out. */
  async listNames(workspaceId: string): Promise<string[]> {
    const rows = await queries.many<{ name: string }>(sql`
      select name from runtime.secrets
      where workspace_id = ${workspaceId} and ${isOfWorkspace} and (expires_at is null or expires_at > now())
      limit ${MAX_NAMES}`)
    return rows.map(({ name }) => name)
  },

  async count(workspaceId: string): Promise<number> {
    const [row] = await queries.many<{ count: number }>(
      sql`select count(*) as count from runtime.secrets where workspace_id = ${workspaceId}`,
    )
    return row?.count ?? 0
  },

  put: (
    { workspaceId, scope, owner, name, sealed }: SealedSecret,
    ttlSeconds: number | undefined,
    by: string,
  ) =>
    queries.many(sql`
      insert into runtime.secrets (workspace_id, scope, owner, name, sealed, expires_at, created_by, updated_by)
      values (${workspaceId}, ${scope}, ${owner}, ${name}, ${sealed},
        now() + ${ttlSeconds ?? null}::int * interval '1 second', ${by}, ${by})
      on conflict (workspace_id, scope, owner, name) do update set
        sealed = excluded.sealed, expires_at = excluded.expires_at, updated_by = excluded.updated_by,
        updated_at = clock_timestamp()`),

  /** Answers whether it was there. */
  async remove({ workspaceId, scope, owner, name }: SecretPlace): Promise<boolean> {
    const rows = await queries.many<{ isKept: boolean }>(sql`
      delete from runtime.secrets
      where workspace_id = ${workspaceId} and scope = ${scope} and owner = ${owner} and name = ${name}
      returning expires_at is null or expires_at > now() as "isKept"`)
    return rows[0]?.isKept === true
  },

  /** What another key than this one has sealed, locked until the transaction ends. */
  listSealedByOthers: (masterKeyId: string, limit: number) =>
    queries.many<SealedSecret>(sql`
      select workspace_id as "workspaceId", scope, owner, name, sealed from runtime.secrets
      where not starts_with(sealed, ${`${masterKeyId}:`})
      order by workspace_id, scope, owner, name limit ${limit} for update skip locked`),

  reseal: ({ workspaceId, scope, owner, name, sealed }: SealedSecret) =>
    queries.many(sql`
      update runtime.secrets set sealed = ${sealed}
      where workspace_id = ${workspaceId} and scope = ${scope} and owner = ${owner} and name = ${name}`),

  async deleteExpired(limit: number): Promise<number> {
    const rows = await queries.many(sql`
      delete from runtime.secrets where (workspace_id, scope, owner, name) in (
        select workspace_id, scope, owner, name from runtime.secrets
        where expires_at < now() limit ${limit} for update skip locked)
      returning 1`)
    return rows.length
  },

  /** Those of workspaces that were deleted before then. */
  async deleteOfDeleted(before: Date): Promise<void> {
    await queries.many(sql`
      delete from runtime.secrets s where not exists (
        select from permissions.workspaces w
        where w.id = s.workspace_id and (w.deleted_at is null or w.deleted_at > ${before}))`)
  },
})
