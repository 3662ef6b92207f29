import { type Database, groupCommit, sql } from '@platform/database'
import type { LeasedQueue, TriedDelivery } from './queue-store.ts'

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
