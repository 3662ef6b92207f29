import type { PausedReason } from '@platform/contracts'
import { among, type Queries, sql } from '@platform/database'
import type { SubscriptionRecord } from './subscription.ts'

export type SubscriptionStore = ReturnType<typeof subscriptionStore>

/** A subscription with its queue: the tables, and its columns. */
const subscriptionColumns = sql`
  s.id, s.workspace_id as "workspaceId", s.name, s.url, s.events, s.filter, s.ordered,
  s.max_concurrency as "maxConcurrency", s.headers, s.header_names as "headerNames", s.secret,
  s.previous_secret as "previousSecret", s.previous_secret_until as "previousSecretUntil", s.active,
  s.active_since as "activeSince", s.paused_reason as "pausedReason", s.paused_at as "pausedAt",
  q.failing_since as "failingSince", s.created_by as "createdBy", s.updated_by as "updatedBy", s.sees_all as "seesAll",
  s.created_at as "createdAt", s.updated_at as "updatedAt"`
const subscriptionTables = sql`events.subscriptions s join events.subscription_queues q on q.subscription_id = s.id`

/** The channel of subscriptions that have news: their ids; many at once without. */
export const WEBHOOKS = 'webhooks'

/** What a subscription has to do is looked at again, here and everywhere. */
export async function wake(queries: Queries, subscriptionId: string, now: Date): Promise<void> {
  await queries.many(sql`
    update events.subscription_queues set due_at = least(due_at, ${now}, now()), news = news + 1
    where subscription_id = ${subscriptionId}`)
  queries.notify(WEBHOOKS, subscriptionId)
}

/** Where a subscription sends. */
type Endpoint = Pick<SubscriptionRecord, 'id' | 'url'>

/** Webhook subscriptions. */
export const subscriptionStore = (queries: Queries) => ({
  /** Subscriptions of a workspace whose number or cost counts are changed one after the other. */
  lockAll: (workspaceId: string) =>
    queries.many(
      sql`select pg_advisory_xact_lock(hashtextextended(${`subscriptions of ${workspaceId}`}, 0))`,
    ),

  /** What all but one of a workspace ask for. */
  othersWishes: (workspaceId: string, id: string) =>
    queries.many<Pick<SubscriptionRecord, 'events' | 'filter'>>(sql`
      select events, filter from events.subscriptions where workspace_id = ${workspaceId} and id <> ${id}`),

  async count(workspaceId: string): Promise<number> {
    const [row] = await queries.many<{ count: number }>(
      sql`select count(*) as count from events.subscriptions where workspace_id = ${workspaceId}`,
    )
    return row?.count ?? 0
  },

  insert: (one: SubscriptionRecord) =>
    queries.many(sql`
      with added as (
        insert into events.subscriptions (id, workspace_id, name, url, events, filter, ordered, max_concurrency,
          headers, header_names, secret, active, active_since, paused_reason, paused_at, created_by, updated_by,
          sees_all,
          created_at, updated_at)
        values (${one.id}, ${one.workspaceId}, ${one.name}, ${one.url}, ${one.events}, ${JSON.stringify(one.filter)},
          ${one.ordered}, ${one.maxConcurrency}, ${one.headers}, ${one.headerNames}, ${one.secret}, ${one.active},
          ${one.activeSince}, ${one.pausedReason}, ${one.pausedAt}, ${one.createdBy}, ${one.updatedBy}, ${one.seesAll},
          ${one.createdAt}, ${one.updatedAt})
        returning id)
      insert into events.subscription_queues (subscription_id) select id from added`),

  list: (workspaceId: string, { offset, limit }: { offset: number; limit: number }) =>
    queries.many<SubscriptionRecord>(sql`
      select ${subscriptionColumns} from ${subscriptionTables} where s.workspace_id = ${workspaceId}
      order by s.id desc offset ${offset} limit ${limit}`),

  async find(workspaceId: string, id: string): Promise<SubscriptionRecord | undefined> {
    const [row] = await queries.many<SubscriptionRecord>(sql`
      select ${subscriptionColumns} from ${subscriptionTables}
      where s.workspace_id = ${workspaceId} and s.id = ${id}`)
    return row
  },

  /** The same, locked until the transaction ends. */
  async lock(workspaceId: string, id: string): Promise<SubscriptionRecord | undefined> {
    const [row] = await queries.many<SubscriptionRecord>(sql`
      select ${subscriptionColumns} from ${subscriptionTables}
      where s.workspace_id = ${workspaceId} and s.id = ${id} for update of s`)
    return row
  },

  async update(one: SubscriptionRecord): Promise<void> {
    await queries.many(sql`
      update events.subscriptions set name = ${one.name}, url = ${one.url}, events = ${one.events},
        filter = ${JSON.stringify(one.filter)}, ordered = ${one.ordered}, max_concurrency = ${one.maxConcurrency},
        headers = ${one.headers}, header_names = ${one.headerNames}, secret = ${one.secret},
        previous_secret = ${one.previousSecret}, previous_secret_until = ${one.previousSecretUntil},
        active = ${one.active}, active_since = ${one.activeSince}, paused_reason = ${one.pausedReason},
        paused_at = ${one.pausedAt}, updated_by = ${one.updatedBy}, sees_all = ${one.seesAll},
        updated_at = ${one.updatedAt}
      where id = ${one.id}`)
    await queries.many(sql`
      update events.subscription_queues set failing_since = ${one.failingSince} where subscription_id = ${one.id}`)
    await wake(queries, one.id, one.updatedAt)
  },

  remove: (id: string) => queries.many(sql`delete from events.subscriptions where id = ${id}`),

  /** Those of workspaces that were deleted before an instant, or are gone altogether. */
  removeOfDeleted: (before: Date) =>
    queries.many(sql`
      delete from events.subscriptions s where not exists (
        select from permissions.workspaces w
        where w.id = s.workspace_id and (w.deleted_at is null or w.deleted_at > ${before}))`),

  /** The subscriptions of these workspaces that collect events. */
  activeOf: (workspaceIds: readonly string[]) =>
    queries.many<SubscriptionRecord>(sql`
      select ${subscriptionColumns} from ${subscriptionTables}
      where ${among(sql`s.workspace_id`, workspaceIds)} and s.active`),

  /** Pauses one that is active and still sends to this address; answers whether it was. */
  async pause({ id, url }: Endpoint, reason: PausedReason, now: Date): Promise<boolean> {
    const rows = await queries.many(sql`
      update events.subscriptions set active = false, paused_reason = ${reason}, paused_at = ${now}, updated_at = ${now}
      where id = ${id} and url = ${url} and active returning 1`)
    return rows.length > 0
  },

  async countPaused(): Promise<number> {
    const [row] = await queries.many<{ count: number }>(
      sql`select count(*) as count from events.subscriptions where not active`,
    )
    return row?.count ?? 0
  },
})

export type SealedSubscriptionStore = ReturnType<typeof sealedSubscriptionStore>

/** What master keys have sealed of subscriptions. */
export const sealedSubscriptionStore = (queries: Queries) => ({
  /** Those with a value that another master key has sealed, locked. */
  sealedWithOther: (masterKeyId: string, limit: number) =>
    queries.many<SubscriptionRecord>(sql`
      select ${subscriptionColumns} from ${subscriptionTables}
      where not starts_with(s.secret, ${`${masterKeyId}:`})
        or not starts_with(coalesce(s.previous_secret, ${`${masterKeyId}:`}), ${`${masterKeyId}:`})
        or not starts_with(coalesce(s.headers, ${`${masterKeyId}:`}), ${`${masterKeyId}:`})
      order by s.id limit ${limit} for update of s`),

  reseal: ({ id, secret, previousSecret, headers }: SubscriptionRecord) =>
    queries.many(sql`
      update events.subscriptions set secret = ${secret}, previous_secret = ${previousSecret}, headers = ${headers}
      where id = ${id}`),
})
