import { DatabaseError, type Queries, type Sql, sql } from '@platform/database'
import type { LiveDefinition } from './compile-workspace.ts'

export type DefinitionStore = ReturnType<typeof definitionStore>

/** A workspace that was changed or deleted a short while ago. */
export interface RecentChange {
  readonly workspaceId: string
  readonly revision: number
  readonly deleted: boolean
}

/** The views of the workspaces service (decisions I8); they may be made after this service has started. */
export const definitionStore = (database: Queries) => ({
  findById: (workspaceId: string): Promise<LiveDefinition | undefined> =>
    findLive(database, sql`where workspace_id = ${workspaceId}`),

  findBySlug: (slug: string): Promise<LiveDefinition | undefined> =>
    findLive(database, sql`where workspace_slug = ${slug}`),

  listRecentChanges: (): Promise<RecentChange[]> =>
    whenMigrated(
      database.many<RecentChange>(sql`
        select workspace_id as "workspaceId", revision, deleted
        from workspaces.changes where touched_at > now() - interval '20 seconds'`),
    ),

  /** Revisions of the given workspaces; those that are gone are left out. */
  listRevisions: (workspaceIds: readonly string[]): Promise<RecentChange[]> =>
    whenMigrated(
      database.many<RecentChange>(sql`
        select workspace_id as "workspaceId", revision, false as deleted
        from workspaces.live_definitions where workspace_id = any(${workspaceIds})`),
    ),

  probe: (): Promise<unknown> =>
    whenMigrated(database.many(sql`select 1 from workspaces.live_definitions limit 1`)),
})

async function findLive(database: Queries, where: Sql): Promise<LiveDefinition | undefined> {
  const [row] = await whenMigrated(
    database.many<LiveDefinition>(sql`
      select workspace_id as "workspaceId", workspace_slug as "workspaceSlug", workspace_name as "workspaceName",
             config, revision, automations
      from workspaces.live_definitions ${where}`),
  )
  return row
}

const NOT_THERE = new Set(['42P01', '3F000'])

/** Until the workspaces service has migrated there is nothing to run: that passes, so it is no error of ours. */
async function whenMigrated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof DatabaseError) || !NOT_THERE.has(error.code ?? '')) throw error
    throw new DatabaseError(
      'The definitions of automations are not there yet: the workspaces service makes them.',
      {
        cause: error,
        unavailable: true,
      },
    )
  }
}
