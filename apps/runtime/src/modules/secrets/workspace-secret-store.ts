import { type Queries, sql } from '@platform/database'
import type { SecretPlace } from './secret-parts.ts'
import { isOfWorkspace, type SealedSecret } from './secret-store.ts'

/** A secret of a workspace itself as it is shown: everything but its value. */
export interface DescribedSecret extends Pick<SecretPlace, 'scope' | 'name'> {
  readonly description: string | null
  /** Null where it was set before that was kept. */
  readonly createdBy: string | null
  readonly updatedBy: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date | null
}

/** What somebody wants a secret to be; without `sealed` it keeps its value. */
export interface SavedSecret extends Pick<SecretPlace, 'scope' | 'name'> {
  readonly sealed: string | undefined
  readonly description: string | null
}

const hasValue = ({ sealed }: SavedSecret): boolean => sealed !== undefined

/** Secrets as people change them; the module of automations has statements of its own. */
export const workspaceSecretStore = (queries: Queries) => ({
  /** Of the workspace itself, by name; those of the platform only where they are asked for. */
  describe: (workspaceId: string, withSystem: boolean): Promise<DescribedSecret[]> =>
    queries.many<DescribedSecret>(sql`
      select scope, name, description, created_by as "createdBy", updated_by as "updatedBy",
        created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt"
      from runtime.secrets
      where workspace_id = ${workspaceId} and (${isOfWorkspace} or (${withSystem} and scope = 'system'))
        and (expires_at is null or expires_at > now())
      order by name collate "C"`),

  /** What the platform keeps for these workspaces. */
  listSystem: (workspaceIds: readonly string[]): Promise<SealedSecret[]> =>
    queries.many<SealedSecret>(sql`
      select workspace_id as "workspaceId", scope, owner, name, sealed from runtime.secrets
      where workspace_id = any(${workspaceIds}::text[]) and scope = 'system'`),

  /** Those of the workspaces that have one of these slugs. */
  listNamed: (workspaceIds: readonly string[], slugs: readonly string[]) =>
    queries.many<{ id: string; slug: string }>(sql`
      select id, slug from permissions.workspaces
      where id = any(${workspaceIds}::text[]) and slug = any(${slugs}::text[]) and deleted_at is null`),

  /** Others who change the secrets of this workspace by the API wait for the end of the transaction. */
  lock: (workspaceId: string) =>
    queries.many(
      sql`select pg_advisory_xact_lock(hashtextextended('runtime.secrets ' || ${workspaceId}, 0))`,
    ),

  /** Saves secrets of the workspace itself; one that had a time to live has it no more when its value changes. */
  async save(workspaceId: string, secrets: readonly SavedSecret[], by: string): Promise<void> {
    const [described, sealed] = [secrets.filter((one) => !hasValue(one)), secrets.filter(hasValue)]
    if (sealed.length > 0)
      await queries.many(sql`
        insert into runtime.secrets as s (workspace_id, scope, owner, name, sealed, description, created_by, updated_by)
        select ${workspaceId}, g.scope, '', g.name, g.sealed, g.description, ${by}, ${by}
        from jsonb_to_recordset(${JSON.stringify(sealed)}::jsonb) as g (scope text, name text, sealed text,
          description text)
        on conflict (workspace_id, scope, owner, name) do update set
          sealed = excluded.sealed, description = excluded.description, expires_at = null,
          updated_by = excluded.updated_by, updated_at = clock_timestamp(),
          created_by = case when s.expires_at <= now() then excluded.created_by else s.created_by end,
          created_at = case when s.expires_at <= now() then excluded.created_at else s.created_at end`)
    if (described.length > 0)
      await queries.many(sql`
        update runtime.secrets s set
          description = g.description, updated_by = ${by}, updated_at = clock_timestamp()
        from jsonb_to_recordset(${JSON.stringify(described)}::jsonb) as g (scope text, name text, description text)
        where s.workspace_id = ${workspaceId} and s.owner = '' and (s.scope, s.name) = (g.scope, g.name)`)
  },

  /** Deletes secrets of the workspace itself. */
  async removeAll(
    workspaceId: string,
    secrets: readonly Pick<SecretPlace, 'scope' | 'name'>[],
  ): Promise<void> {
    if (secrets.length === 0) return
    await queries.many(sql`
      delete from runtime.secrets s
      using jsonb_to_recordset(${JSON.stringify(secrets)}::jsonb) as g (scope text, name text)
      where s.workspace_id = ${workspaceId} and s.owner = '' and (s.scope, s.name) = (g.scope, g.name)`)
  },
})
