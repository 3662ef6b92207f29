import type { DeliveryStatus, DeliveryTry } from '@platform/contracts'
import { type Database, groupCommit, type Sql, sql } from '@platform/database'
import type { SubscriptionRecord } from './subscription.ts'
import { WEBHOOKS } from './subscription-store.ts'

/** A subscription as its deliveries are sent: read again for every batch, so that a change counts from the next one. */
export type SendingSubscription = Pick<
  SubscriptionRecord,
  | 'id'
  | 'workspaceId'
  | 'name'
  | 'url'
  | 'ordered'
  | 'maxConcurrency'
  | 'headers'
  | 'secret'
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'active'
  | 'createdBy'
  | 'updatedBy'
  | 'seesAll'
  | 'failingSince'
>

/** A delivery whose time has come. */
export interface WaitingDelivery {
  deliveryId: string
  /** JSON text of the event. */
  event: string
  /** Before this one. */
  tries: number
  begunAt: Date
}

/** What the process that leases a queue does next. */
export interface Batch {
  subscription: SendingSubscription
  /** Requests it may have under way. */
  atOnce: number
  /** Where the count of news stood. */
  news: number
  deliveries: WaitingDelivery[]
  /** Nothing else was due. */
  isLast: boolean
}

/** One try as it is recorded. */
export type TryRecord = Omit<DeliveryTry, 'at'> & { id: string }

/** How a try of a delivery ended, and what comes next. */
export interface TriedDelivery {
  deliveryId: string
  tries: number
  at: Date
  status: DeliveryStatus
  dueAt: Date
  /** Until then the endpoint asked to be left alone. */
  notBefore: Date | null
  log: TryRecord
  /** False when the endpoint was not asked: it did not fail. */
  isSent: boolean
}

export type QueueStore = ReturnType<typeof queueStore>

/** A queue that this process works on; its `token` is of this lease alone, and of none once it is released. */
export interface LeasedQueue {
  subscriptionId: string
  token: number
}

/** Deliveries that a batch takes from the queue; they are sent as there is room. */
const LOOK_AHEAD = 32

/** How long a lease lasts that is not extended. */
export const LEASE_MS = 20_000

type BatchRow = SubscriptionRecord & { news: number } & (
    | WaitingDelivery
    | Record<keyof WaitingDelivery, null>
  )

/** Queues and their tokens as rows. */
const listed = (queues: readonly LeasedQueue[]): Sql => sql`
  unnest(${queues.map(({ subscriptionId }) => subscriptionId)}::uuid[],
    ${queues.map(({ token }) => token)}::bigint[]) as listed(subscription_id, token)`

/** The end of a lease that begins now. */
const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${LEASE_MS / 1000}::double precision)`

/**
 * What subscriptions have to do, and which process does it. Leases go by the clock of the database alone: processes
 * may differ by hours. What is due goes by theirs as well, where that is later: it is not sent twice for that.
 */
export const queueStore = (database: Database) => ({
  /**
   * Leases queues in which something is due and that no process has leased, or one of those that are `gone`; the one
   * that waits longest first.
   */
  claim: (now: Date, limit: number, gone: readonly number[] = []): Promise<LeasedQueue[]> =>
    database.many<LeasedQueue>(sql`
      update events.subscription_queues
      set token = token + 1, leased_until = ${leaseEnd}, holder = ${database.presence().id()}::int,
        holder_token = token + 1
      where subscription_id in (
        select subscription_id from events.subscription_queues
        where due_at <= greatest(${now}, now())
          and (leased_until is null or leased_until <= now()
            or holder_token = token and holder = any(${gone}::int[]))
        order by due_at limit ${limit} for update skip locked)
      returning subscription_id as "subscriptionId", token`),

  /** The presences of the processes with leases. A leased queue is due. */
  async listHolders(): Promise<number[]> {
    const rows = await database.many<{ holder: number }>(sql`
      select distinct holder from events.subscription_queues
      where due_at <= now() and leased_until > now() and holder_token = token and holder is not null`)
    return rows.map(({ holder }) => holder)
  },

  /** Extends leases. Answers the queues whose lease was still this one. */
  extend: (queues: readonly LeasedQueue[]): Promise<LeasedQueue[]> =>
    database.many<LeasedQueue>(sql`
      with mine as (
        select q.subscription_id from events.subscription_queues q
        join ${listed(queues)} on listed.subscription_id = q.subscription_id and listed.token = q.token
        order by 1 for update of q)
      update events.subscription_queues q
      set leased_until = ${leaseEnd}, holder = ${database.presence().id()}::int, holder_token = q.token from mine
      where q.subscription_id = mine.subscription_id
      returning q.subscription_id as "subscriptionId", q.token`),

  /**
   * What is to be sent now, and how much of it at once: one where it is ordered or fails, else as many as it allows.
   * Undefined when another process has the queue, or it is gone.
   */
  async nextBatch(
    { subscriptionId, token }: LeasedQueue,
    inFlight: readonly string[],
    now: Date,
  ): Promise<Batch | undefined> {
    const rows = await database.many<BatchRow>(sql`
      select s.id, s.workspace_id as "workspaceId", s.name, s.url, s.ordered, s.max_concurrency as "maxConcurrency",
        s.headers, s.secret, s.previous_secret as "previousSecret", s.previous_secret_until as "previousSecretUntil",
        s.active, s.created_by as "createdBy", s.updated_by as "updatedBy", s.sees_all as "seesAll",
        q.failing_since as "failingSince", q.news, d.*
      from events.subscription_queues q
      join events.subscriptions s on s.id = q.subscription_id
      left join lateral (
        select first.* from (
          select id as "deliveryId", event::text as event, tries, begun_at as "begunAt", due_at
          from events.deliveries where subscription_id = s.id and status = 'pending' order by position limit 1) first
        where s.active and s.ordered and first.due_at <= greatest(${now}, now()) and ${inFlight.length} = 0
        union all
        (select id, event::text, tries, begun_at, due_at from events.deliveries
        where subscription_id = s.id and status = 'pending' and s.active and not s.ordered
          and due_at <= greatest(${now}, now()) and id <> all(${inFlight}::uuid[])
        order by due_at, position
        limit case when q.failing_since is null then ${LOOK_AHEAD}::int else 1 end)
      ) d on true
      where q.subscription_id = ${subscriptionId} and q.token = ${token}`)
    const [first] = rows
    if (first === undefined) return undefined
    const atOnce = first.ordered || first.failingSince !== null ? 1 : first.maxConcurrency
    return {
      subscription: first,
      news: first.news,
      atOnce,
      deliveries: rows.filter((row): row is BatchRow & WaitingDelivery => row.deliveryId !== null),
      isLast: !first.ordered && rows.length < (atOnce === 1 ? 1 : LOOK_AHEAD),
    }
  },

  /**
   * Releases a queue until its next delivery is due; false when something came in since `news`, or the lease is
   * another one. The token goes on, or a heartbeat that arrives late would lease the queue again for a process that
   * works on it no more.
   */
  async release({ subscriptionId, token }: LeasedQueue, news: number): Promise<boolean> {
    const rows = await database.many(sql`
      update events.subscription_queues q set token = token + 1, leased_until = null, due_at = case
        when not s.active then null
        when s.ordered then (
          select due_at from events.deliveries
          where subscription_id = s.id and status = 'pending' order by position limit 1)
        else (select min(due_at) from events.deliveries where subscription_id = s.id and status = 'pending') end
      from events.subscriptions s
      where s.id = q.subscription_id and q.subscription_id = ${subscriptionId} and q.token = ${token}
        and q.news = ${news}
      returning 1`)
    return rows.length > 0
  },

  /** Gives queues back at once, whatever is in them. */
  async giveBack(queues: readonly LeasedQueue[]): Promise<void> {
    const given = await database.many(sql`
      with mine as (
        select q.subscription_id from events.subscription_queues q
        join ${listed(queues)} on listed.subscription_id = q.subscription_id and listed.token = q.token
        order by 1 for update of q)
      update events.subscription_queues q set token = token + 1, leased_until = null, due_at = now() from mine
      where q.subscription_id = mine.subscription_id returning 1`)
    if (given.length > 0) database.notify(WEBHOOKS)
  },

  /** For metrics: what waits (at most 100,000 are counted), and since when the oldest is due. */
  async waiting(now: Date): Promise<{ pending: number; oldestDueSeconds: number }> {
    const [row] = await database.many<{ pending: number; oldest: Date | null }>(sql`
      select
        (select count(*) from (select from events.deliveries where status = 'pending' limit 100000) as p) as pending,
        (select min(due_at) from events.subscription_queues where due_at is not null) as oldest`)
    const oldestMs = row?.oldest?.getTime() ?? now.getTime()
    return { pending: row?.pending ?? 0, oldestDueSeconds: Math.max(0, now.getTime() - oldestMs) / 1000 }
  },
})

export type TryStore = ReturnType<typeof tryStore>

interface Recorded {
  queue: LeasedQueue
  tried: TriedDelivery
  stored: StoredTry | undefined
}

/** A try that was recorded. */
export interface StoredTry {
  /** Where it was the first to arrive after others had failed: since when they did. */
  failingSince: Date | null
}

/** So often a delivery is tried sooner than its turn: one that fails alone would else be tried with every other. */
const MOST_HASTENED = 3

/** How tries ended, of all subscriptions together in as few statements as possible. */
export function tryStore(database: Database) {
  const group = groupCommit<Recorded>(async (items) => {
    const rows = await database.many<StoredTry & { id: string }>(recordTries(items))
    const stored = new Map(rows.map(({ id, failingSince }) => [id, { failingSince }]))
    for (const item of items) item.stored = stored.get(item.tried.deliveryId)
  })
  return {
    /** Records how a try ended; undefined when its queue or the delivery has gone on without this process. */
    async record(queue: LeasedQueue, tried: TriedDelivery): Promise<StoredTry | undefined> {
      const item: Recorded = { queue, tried, stored: undefined }
      await group.add(item)
      return item.stored
    },

    /**
     * Makes what failed and waits due at once, unless the endpoint asked to be left alone until later. Answers how
     * many, at most `limit`.
     */
    async hasten(subscriptionId: string, now: Date, limit: number): Promise<number> {
      const rows = await database.many(sql`
        with late as (
          select id from events.deliveries
          where subscription_id = ${subscriptionId} and status = 'pending' and tries > 0 and due_at > ${now}
            and hastened < ${MOST_HASTENED} and (not_before is null or not_before <= ${now})
          order by position limit ${limit} for update)
        update events.deliveries d set due_at = ${now}, hastened = hastened + 1
        from late where d.id = late.id returning 1`)
      return rows.length
    },
  }
}

/** Since when an endpoint fails is recorded as well: it decides about pausing. */
function recordTries(items: readonly Recorded[]) {
  const queue = <T>(of: (one: LeasedQueue) => T) => items.map((item) => of(item.queue))
  const tried = <T>(of: (one: TriedDelivery) => T) => items.map((item) => of(item.tried))
  const log = <T>(of: (one: TriedDelivery['log']) => T) => items.map((item) => of(item.tried.log))
  return sql`
    with given as (
      select * from unnest(
        ${queue((one) => one.subscriptionId)}::uuid[], ${queue((one) => one.token)}::bigint[],
        ${tried((one) => one.deliveryId)}::uuid[], ${tried((one) => one.tries)}::int[],
        ${tried((one) => one.at)}::timestamptz[], ${tried((one) => one.status)}::text[],
        ${tried((one) => one.dueAt)}::timestamptz[], ${log((one) => one.id)}::uuid[],
        ${log((one) => one.durationMs)}::int[], ${log((one) => one.outcome)}::text[],
        ${log((one) => one.status)}::int[], ${log((one) => one.error)}::text[],
        ${log((one) => one.request)}::text[], ${log((one) => one.response)}::text[],
        ${tried((one) => one.isSent)}::bool[], ${tried((one) => one.notBefore)}::timestamptz[]
      ) as g(subscription_id, token, id, tries, at, status, due_at, try_id, duration_ms, outcome, answered, error,
        request, response, is_sent, not_before)),
    mine as (
      select g.* from given g
      join events.subscription_queues q on q.subscription_id = g.subscription_id and q.token = g.token),
    done as (
      update events.deliveries d set status = g.status, tries = g.tries + 1, due_at = g.due_at,
        not_before = g.not_before, last_status = g.answered, last_error = g.error,
        delivered_at = case when g.status = 'delivered' then g.at end
      from mine g where d.id = g.id and d.status = 'pending' and d.tries = g.tries
      returning d.id),
    logged as (
      insert into events.delivery_tries (id, delivery_id, at, duration_ms, outcome, status, error, request, response)
      select try_id, id, at, duration_ms, outcome, answered, error, request, response from mine join done using (id)),
    endings as (
      select subscription_id, bool_or(status = 'delivered') as arrived, min(at) as at from mine join done using (id)
      where is_sent group by 1),
    changed as (
      select q.subscription_id, e.arrived, e.at, q.failing_since
      from events.subscription_queues q join endings e using (subscription_id)
      where (q.failing_since is null) <> e.arrived order by 1 for update of q),
    state as (
      update events.subscription_queues q set failing_since = case when c.arrived then null else c.at end
      from changed c where q.subscription_id = c.subscription_id)
    select id, c.failing_since as "failingSince" from done join mine using (id)
    left join changed c on c.subscription_id = mine.subscription_id and mine.status = 'delivered'`
}
