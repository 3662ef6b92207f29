import { DatabaseError, type Queries, type Sql, sql } from '@platform/database'
import type { SourcePlace } from '../automations/model.ts'

export type DefinitionStore = ReturnType<typeof definitionStore>

/** Where a workspace stands: its revision grows with each change of it and of its automations. */
export interface LiveRevision {
  readonly workspaceId: string
  readonly workspaceSlug: string
  readonly revision: number
}

/** What is known of an automation before it is run. */
export interface IndexedAutomation {
  readonly slug: string
  readonly checksum: string
  /** Pattern of its URL. */
  readonly endpoint: string | null
  /** Types of events it listens to, as saved. */
  readonly events: unknown
  readonly disabled: boolean
  /** Its place among the queued runs of the workspace, if it has one. */
  readonly priority?: number | null
}

/** A text of an automation, of which there may be a newer one. */
export type AutomationText = Pick<IndexedAutomation, 'slug' | 'checksum'>

/** A workspace with the index of its automations, oldest first. */
export interface LiveWorkspace extends LiveRevision {
  readonly workspaceName: string
  /** Why it is suspended; null, or missing, where it is not. */
  readonly suspendedFor?: string | null
  readonly config: unknown
  readonly automations: readonly IndexedAutomation[]
  /** Characters of the index and the config. */
  readonly length: number
}

/** An automation as it was saved. */
export interface LiveAutomation {
  readonly checksum: string
  readonly definition: unknown
  /** Characters of its JSON text. */
  readonly length: number
}

/** An automation that had another text, or was not there, when its workspace had an earlier revision. */
export interface EarlierAutomation {
  readonly slug: string
  /** Null: it was not there. */
  readonly checksum: string | null
}

/** Ids, or slugs, of workspaces. */
export type WorkspaceKey = 'workspace_id' | 'workspace_slug'

/** The views of the workspaces service; they may be made after this service has started. */
export const definitionStore = (database: Queries) => ({
  /** Where these workspaces stand now; those that are gone are left out. */
  listRevisions: (by: WorkspaceKey, values: readonly string[]): Promise<LiveRevision[]> =>
    whenMigrated(
      database.many<LiveRevision>(sql`
        select workspace_id as "workspaceId", workspace_slug as "workspaceSlug", revision
        from workspaces.live_definitions where ${columns[by]} = any(${values}::text[])`),
    ),

  /** One statement, so that the index is that of the revision. */
  async findWorkspace(workspaceId: string): Promise<LiveWorkspace | undefined> {
    const [row] = await whenMigrated(
      database.many<LiveWorkspace>(sql`
        select workspace_id as "workspaceId", workspace_slug as "workspaceSlug", workspace_name as "workspaceName",
               revision, config, index as automations, (
                 select p.suspended_reason from permissions.workspaces p where p.id = w.workspace_id
               ) as "suspendedFor",
               octet_length(index::text) + coalesce(octet_length(config::text), 0) as length
        from workspaces.live_definitions w
        cross join lateral (
          select coalesce(json_agg(json_build_object(
              'slug', a.slug, 'checksum', a.checksum, 'endpoint', a.endpoint, 'events', a.events,
              'disabled', a.disabled, 'priority', p.priority
            ) order by a.created_at, a.slug), '[]') as index
          from workspaces.live_automations a
          left join workspaces.live_priorities p
            on (p.workspace_id, p.automation_slug) = (a.workspace_id, a.slug)
          where a.workspace_id = w.workspace_id
        ) indexed
        where workspace_id = ${workspaceId}`),
    )
    return row
  },

  async findAutomation(workspaceId: string, slug: string): Promise<LiveAutomation | undefined> {
    const [row] = await whenMigrated(
      database.many<LiveAutomation>(sql`
        select checksum, definition, octet_length(definition::text) as length
        from workspaces.live_automations where workspace_id = ${workspaceId} and slug = ${slug}`),
    )
    return row
  },

  /** What was otherwise at a revision than it is by now. */
  listEarlier: (workspaceId: string, revision: number): Promise<EarlierAutomation[]> =>
    whereRecorded(
      database.many<EarlierAutomation>(sql`
        select distinct on (slug) slug, checksum from workspaces.recorded_definitions
        where workspace_id = ${workspaceId} and until_revision > ${revision} order by slug, until_revision`),
    ),

  /** The automation at a revision; undefined where it is the same by now, or was not there. */
  async findEarlier(
    workspaceId: string,
    slug: string,
    revision: number,
  ): Promise<LiveAutomation | undefined> {
    const [row] = await whereRecorded(
      database.many<LiveAutomation>(sql`
        select checksum, definition, octet_length(definition::text) as length from workspaces.recorded_definitions
        where workspace_id = ${workspaceId} and until_revision > ${revision} and slug = ${slug}
        order by until_revision limit 1`),
    )
    return row === undefined || row.definition === null ? undefined : row
  },

  /** A function as it was declared at a revision; undefined where it was not there. */
  async findFunction(
    workspaceId: string,
    name: string,
    revision: number,
  ): Promise<{ definition: unknown; length: number } | undefined> {
    const [row] = await whereRecorded(
      database.many<{ definition: unknown; length: number | null }>(sql`
        select definition, octet_length(definition::text) as length from (
          (select definition from workspaces.recorded_definitions
           where workspace_id = ${workspaceId} and until_revision > ${revision} and slug = ${`function:${name}`}
           order by until_revision limit 1)
          union all
          select definition from workspaces.live_functions where workspace_id = ${workspaceId} and name = ${name}
        ) found limit 1`),
    )
    const { definition = null, length = 0 } = row ?? {}
    return definition === null ? undefined : { definition, length: length ?? 0 }
  },

  /** Where an instruction of such a text stands in its YAML, if it was saved as YAML. */
  async findPlace(
    workspaceId: string,
    { slug, checksum }: AutomationText,
    revision: number,
    instruction: string,
  ): Promise<SourcePlace | undefined> {
    const [row] = await whereRecorded(
      database.many<{ place: readonly [number, number] | null }>(sql`
        select places -> ${instruction} as place from (
          select places from workspaces.live_automations
          where workspace_id = ${workspaceId} and slug = ${slug} and checksum = ${checksum}
          union all
          select places from workspaces.recorded_definitions
          where workspace_id = ${workspaceId} and until_revision > ${revision} and slug = ${slug}
            and checksum = ${checksum}
        ) texts where places is not null limit 1`),
    )
    const [line, column] = row?.place ?? []
    return line === undefined || column === undefined ? undefined : { line, column }
  },

  probe: (): Promise<unknown> =>
    whenMigrated(
      database.many(
        sql`select from workspaces.live_definitions, workspaces.live_automations, workspaces.live_priorities limit 0`,
      ),
    ),
})

const columns: Readonly<Record<WorkspaceKey, Sql>> = {
  workspace_id: sql`workspace_id`,
  workspace_slug: sql`workspace_slug`,
}

const NOT_THERE = new Set(['42P01', '3F000'])
const UNDEFINED_COLUMN = '42703'
const NOT_RECORDED = new Set([...NOT_THERE, UNDEFINED_COLUMN])

/** A workspaces service of the version before may run beside this one, and has recorded nothing yet. */
async function whereRecorded<T>(rows: Promise<T[]>): Promise<T[]> {
  try {
    return await rows
  } catch (error) {
    if (!(error instanceof DatabaseError) || !NOT_RECORDED.has(error.code ?? '')) throw error
    return []
  }
}

/** Until the workspaces service has migrated there is nothing to run: that passes, so it is no error of ours. */
export async function whenMigrated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof DatabaseError) || !NOT_THERE.has(error.code ?? '')) throw error
    const message = 'The definitions of automations are not there yet: the workspaces service makes them.'
    throw new DatabaseError(message, { cause: error, unavailable: true })
  }
}
