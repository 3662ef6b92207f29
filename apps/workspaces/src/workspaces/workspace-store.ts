import type { LocalizedText, WorkspaceConfig } from '@platform/contracts'
import { empty, type Queries, type Sql, sql } from '@platform/database'
import type { Change, ChangeStore } from '../changes/change-store.ts'

/** A workspace as it is stored; null is what was never given. */
export interface WorkspaceRecord {
  id: string
  slug: string
  name: string
  description: LocalizedText | null
  photo: string | null
  labels: string[] | null
  config: WorkspaceConfig | null
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
  /** Grows with each change of the workspace or of something in it. */
  revision: number
}

/** A workspace in the trash. */
export interface DeletedRecord extends WorkspaceRecord {
  deletedAt: Date
}

/** Which workspaces a list shows. */
export interface WorkspaceFilter {
  /** Only workspaces this user is a member of; undefined shows all. */
  memberId: string | undefined
  name: string | undefined
  slug: string | undefined
  search: string | undefined
  labels: string[] | undefined
  ids: string[] | undefined
  /** Only workspaces a person with this address, in lower case, is a member of. */
  email: string | undefined
  /** Only those this user owns, or does not own. */
  owner: { userId: string; is: boolean } | undefined
}

export interface WorkspaceSort {
  by: 'name' | 'slug' | 'createdAt' | 'updatedAt'
  isDescending: boolean
}

export type WorkspaceStore = ReturnType<typeof workspaceStore>

const columns = sql`
  w.id, w.slug, w.name, w.description, w.photo, w.labels, w.config,
  w.created_at as "createdAt", w.updated_at as "updatedAt", w.created_by as "createdBy",
  w.updated_by as "updatedBy", w.revision`

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Statements about workspaces, run on the pool or in a transaction. */
export const workspaceStore = (queries: Queries) => ({
  async insert(record: WorkspaceRecord): Promise<void> {
    await queries.many(sql`
      insert into workspaces.workspaces
        (id, slug, name, description, photo, labels, config, created_at, updated_at, created_by, updated_by)
      values (
        ${record.id}, ${record.slug}, ${record.name}, ${json(record.description)}::json, ${record.photo},
        ${record.labels}, ${json(record.config)}::json, ${record.createdAt}, ${record.updatedAt},
        ${record.createdBy}, ${record.updatedBy}
      )`)
  },

  async find(id: string): Promise<WorkspaceRecord | undefined> {
    const [row] = await queries.many<WorkspaceRecord>(sql`
      select ${columns} from workspaces.workspaces w where w.id = ${id} and w.deleted_at is null`)
    return row
  },

  /**
   * Counts a change of the workspace or of something in it, and keeps other changes of the same workspace waiting
   * until the transaction ends. undefined when it is deleted.
   */
  async touch(id: string): Promise<WorkspaceRecord | undefined> {
    // The log of events is in the order of transaction ids. An update takes its id before it waits for the row; this
    // lock makes the changes of a workspace wait without one, so that their events are in the order of the changes.
    // Both travel together.
    const [, [row]] = await Promise.all([
      waitForChanges(queries, id),
      queries.many<WorkspaceRecord>(sql`
        update workspaces.workspaces w set revision = w.revision + 1, touched_at = clock_timestamp()
        where w.id = ${id} and w.deleted_at is null
        returning ${columns}`),
    ])
    return row
  },

  /** Makes other changes of a workspace wait until the transaction ends; false where it is not there. */
  async lock(id: string): Promise<boolean> {
    const [, rows] = await Promise.all([
      waitForChanges(queries, id),
      queries.many(sql`select from workspaces.workspaces where id = ${id} and deleted_at is null`),
    ])
    return rows.length > 0
  },

  async update(record: WorkspaceRecord): Promise<void> {
    await queries.many(sql`
      update workspaces.workspaces set
        slug = ${record.slug}, name = ${record.name}, description = ${json(record.description)}::json,
        photo = ${record.photo},
        labels = ${record.labels}, config = ${json(record.config)}::json,
        updated_at = ${record.updatedAt}, updated_by = ${record.updatedBy}
      where id = ${record.id}`)
  },

  async markDeleted(id: string, by: string, now: Date): Promise<void> {
    await queries.many(sql`
      update workspaces.workspaces set deleted_at = ${now}, updated_at = ${now}, updated_by = ${by} where id = ${id}`)
  },

  /** A deleted workspace that can still be restored. It is kept from being emptied away until the transaction ends. */
  async findDeleted(id: string): Promise<DeletedRecord | undefined> {
    const [, [row]] = await Promise.all([
      waitForChanges(queries, id),
      queries.many<DeletedRecord>(sql`
        select ${columns}, w.deleted_at as "deletedAt" from workspaces.workspaces w
        where w.id = ${id} and w.deleted_at is not null for update`),
    ])
    return row
  },

  /** Takes a workspace out of the trash, under a slug, as a change of it. */
  async restore(id: string, slug: string, by: string, now: Date): Promise<WorkspaceRecord | undefined> {
    const [row] = await queries.many<WorkspaceRecord>(sql`
      update workspaces.workspaces w set
        deleted_at = null, slug = ${slug}, updated_at = ${now}, updated_by = ${by},
        revision = w.revision + 1, touched_at = clock_timestamp()
      where w.id = ${id} and w.deleted_at is not null
      returning ${columns}`)
    return row
  },

  /** A page of what lies in the trash, last deleted first; only what this user owns, unless undefined. */
  listDeleted: (
    ownerId: string | undefined,
    filter: WorkspaceFilter,
    page: { offset: number; limit: number },
  ) =>
    queries.many<DeletedRecord>(sql`
      select ${columns}, w.deleted_at as "deletedAt" from workspaces.workspaces w
      where w.deleted_at is not null ${conditionsOf({ ...filter, memberId: undefined })}
        ${ownerId === undefined ? empty : ownerCondition({ userId: ownerId, is: true })}
      order by w.deleted_at desc, w.id
      limit ${page.limit} offset ${page.offset}`),

  /** A page of workspaces. Memberships are stored in schema permissions, which every service shares. */
  list: (filter: WorkspaceFilter, page: { offset: number; limit: number }, sort: WorkspaceSort) =>
    queries.many<WorkspaceRecord>(sql`
      select ${columns} from workspaces.workspaces w
      where w.deleted_at is null ${conditionsOf(filter)}
      order by ${sortColumns[sort.by]} ${sort.isDescending ? sql`desc` : sql`asc`}, w.id
      limit ${page.limit} offset ${page.offset}`),

  /** Removes for good what lies in the trash since before `before`, some at a time. Answers the ids. */
  async removeTrash(before: Date, limit: number): Promise<string[]> {
    const rows = await queries.many<{ id: string }>(sql`
      delete from workspaces.workspaces where id in (
        select id from workspaces.workspaces where deleted_at < ${before}
        order by deleted_at limit ${limit} for update skip locked
      ) returning id`)
    return rows.map(({ id }) => id)
  },

  /** Claims what is made once in the life of the platform. Answers the workspace that was made before, if any. */
  async claimOnce(name: string, workspaceId: string): Promise<string> {
    const [row] = await queries.many<{ workspaceId: string }>(sql`
      insert into workspaces.made_once (name, workspace_id) values (${name}, ${workspaceId})
      on conflict (name) do update set name = excluded.name
      returning workspace_id as "workspaceId"`)
    return row?.workspaceId ?? workspaceId
  },
})

/** Other changes of the same workspace wait for the end of the transaction. */
const waitForChanges = (queries: Queries, id: string) =>
  queries.many(sql`select pg_advisory_xact_lock(hashtextextended('workspaces.workspaces ' || ${id}, 0))`)

const sortColumns: Readonly<Record<WorkspaceSort['by'], Sql>> = {
  name: sql`lower(w.name)`,
  slug: sql`w.slug`,
  createdAt: sql`w.created_at`,
  updatedAt: sql`w.updated_at`,
}

function conditionsOf({ memberId, name, slug, search, labels, ids, email, owner }: WorkspaceFilter) {
  const parts = [
    memberId === undefined
      ? empty
      : sql`and w.id in (select m.workspace_id from permissions.members m where m.user_id = ${memberId})`,
    name === undefined ? empty : sql`and lower(w.name) = lower(${name})`,
    slug === undefined ? empty : sql`and w.slug = ${slug}`,
    labels === undefined ? empty : sql`and w.labels @> ${labels}::text[]`,
    ids === undefined ? empty : sql`and w.id = any(${ids}::text[])`,
    search === undefined ? empty : searchCondition(search),
    email === undefined ? empty : emailCondition(email),
    owner === undefined ? empty : ownerCondition(owner),
  ]
  return parts.reduce((all, part) => sql`${all} ${part}`, empty)
}

/** The gateway stores accounts in the same database. */
const emailCondition = (email: string) => sql`and exists (
  select from permissions.members m join gateway.users u on u.id = m.user_id
  where m.workspace_id = w.id and u.email = ${email} and u.status = 'validated')`

const ownerCondition = ({ userId, is }: { userId: string; is: boolean }) => sql`and ${is} = exists (
  select from permissions.members m where m.workspace_id = w.id and m.user_id = ${userId} and m.role = 'owner')`

const searchCondition = (text: string) => sql`and (
  strpos(lower(w.name), lower(${text})) > 0
  or strpos(w.slug, lower(${text})) > 0
  or exists (select 1 from unnest(w.labels) label where strpos(lower(label), lower(${text})) > 0))`

/** Changes of workspaces. */
export type WorkspaceChange = Change<{ workspaces: WorkspaceStore }>
export type WorkspaceChanges = ChangeStore<{ workspaces: WorkspaceStore }>
