import type { DeliveryStatus, DeliveryTry } from '@platform/contracts'
import { empty, type Queries, sql } from '@platform/database'
import { OWNERS_ONLY_PREFIX } from '../event-log/event-visibility.ts'
import type { DeliveryRecord, NewDelivery } from './delivery.ts'
import { wake } from './subscription-store.ts'

export type DeliveryStore = ReturnType<typeof deliveryStore>

const columns = sql`
  id, event_id as "eventId", event_type as "eventType", status, tries, due_at as "dueAt", last_status as "lastStatus",
  last_error as "lastError", created_at as "createdAt", delivered_at as "deliveredAt"`
const LOG_LENGTH = 100

/** Which deliveries of a subscription are asked for. */
interface DeliveryPage {
  limit: number
  status: DeliveryStatus | undefined
  beforeId: string | undefined
  /** Also those of events for owners. */
  seesAll: boolean
}

/** Events on their way to subscribers. */
export const deliveryStore = (queries: Queries) => ({
  /**
   * Adds deliveries in their order, and wakes who sends them. Those that are there already are left as they are; with
   * `again` they begin anew, unless they wait anyway.
   */
  add: (added: readonly NewDelivery[], now: Date, options: { again?: boolean } = {}) => {
    const conflict =
      options.again === true
        ? sql`do update set status = 'pending', tries = 0, hastened = 0, begun_at = excluded.begun_at,
            due_at = excluded.due_at
            where d.status <> 'pending'`
        : sql`do nothing`
    // An event is sent once, however many subscriptions want it.
    const events = [...new Set(added.map(({ event }) => event))]
    const places = new Map(events.map((event, at) => [event, at + 1]))
    return queries.many(sql`
      with added as (
        insert into events.deliveries as d
          (id, subscription_id, event_id, event_type, event, begun_at, due_at, created_at)
        select g.id, g.subscription_id, e.id, e.type, e.text::json, ${now}, least(${now}, now()), ${now}
        from unnest(${added.map(({ id }) => id)}::uuid[], ${added.map(({ subscriptionId }) => subscriptionId)}::uuid[],
          ${added.map(({ event }) => places.get(event))}::int[]) with ordinality as g(id, subscription_id, place, n)
        join unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ type }) => type)}::text[],
          ${events.map((event) => JSON.stringify(event))}::text[]) with ordinality as e(id, type, text, place)
          on e.place = g.place
        order by g.n
        on conflict (id) ${conflict} returning d.subscription_id),
      queues as (
        select subscription_id from events.subscription_queues
        where subscription_id in (select subscription_id from added) order by 1 for update),
      woken as (
        update events.subscription_queues q set due_at = least(q.due_at, ${now}, now()), news = q.news + 1
        from queues where q.subscription_id = queues.subscription_id returning q.subscription_id)
      select pg_notify('webhooks', case when count(*) <= 150 then string_agg(subscription_id::text, ',') else '' end)
      from woken having count(*) > 0`)
  },

  list: (subscriptionId: string, { limit, status, beforeId, seesAll }: DeliveryPage) =>
    queries.many<DeliveryRecord>(sql`
      select ${columns} from events.deliveries where subscription_id = ${subscriptionId}
        ${status === undefined ? empty : sql`and status = ${status}`}
        ${beforeId === undefined ? empty : sql`and id < ${beforeId}`}
        ${seesAll ? empty : sql`and not starts_with(event_type, ${OWNERS_ONLY_PREFIX})`}
      order by id desc limit ${limit}`),

  async find(subscriptionId: string, id: string): Promise<DeliveryRecord | undefined> {
    const [row] = await queries.many<DeliveryRecord>(
      sql`select ${columns} from events.deliveries where id = ${id} and subscription_id = ${subscriptionId}`,
    )
    return row
  },

  /** The newest tries, oldest first. */
  async log(id: string): Promise<DeliveryTry[]> {
    const rows = await queries.many<Omit<DeliveryTry, 'at'> & { at: Date }>(sql`
      select at, duration_ms as "durationMs", outcome, status, error, request, response
      from events.delivery_tries where delivery_id = ${id} order by id desc limit ${LOG_LENGTH}`)
    return rows.reverse().map((row) => ({ ...row, at: row.at.toISOString() }))
  },

  /** Begins anew, whatever became of it; undefined when there is none. */
  async redeliver(subscriptionId: string, id: string, now: Date): Promise<DeliveryRecord | undefined> {
    const [row] = await queries.many<DeliveryRecord>(sql`
      update events.deliveries set status = 'pending', tries = 0, hastened = 0, begun_at = ${now},
        due_at = least(${now}, now()), delivered_at = null
      where id = ${id} and subscription_id = ${subscriptionId} returning ${columns}`)
    if (row !== undefined) await queries.many(wake(subscriptionId, now))
    return row
  },
})
