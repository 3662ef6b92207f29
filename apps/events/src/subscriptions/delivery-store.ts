import type { DeliveryStatus, DeliveryTry, EventRecord, SubscriptionDelivery } from '@platform/contracts'
import { empty, type Queries, sql, textArray } from '@platform/database'
import { derivedUuidv7, Failure, isUuid, lowestUuidv7 } from '@platform/kernel'
import { OWNERS_ONLY_PREFIX } from '../event-log/event-visibility.ts'
import { WEBHOOKS, wake } from './subscription-store.ts'

/** A delivery as it is stored, without the event. */
interface DeliveryRecord {
  id: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  tries: number
  dueAt: Date
  lastStatus: number | null
  lastError: string | null
  createdAt: Date
  deliveredAt: Date | null
}

/** An event for a subscription. */
export interface NewDelivery {
  id: string
  subscriptionId: string
  event: EventRecord
}

/** The delivery of an event to a subscription: always the same id, so that it can't be doubled. */
export function deliveryOf(event: EventRecord, subscriptionId: string): NewDelivery {
  const hasTime = isUuid(event.id) && event.id[14] === '7'
  const timeOf = hasTime ? event.id : timeOfInstant(event.createdAt)
  return { id: derivedUuidv7(timeOf, event.id, subscriptionId), subscriptionId, event }
}

/** A UUIDv7 of an instant, for events whose own id has none. */
function timeOfInstant(createdAt: string): string {
  const lowest = lowestUuidv7(Date.parse(createdAt))
  return `${lowest.slice(0, 14)}7${lowest.slice(15)}`
}

/** The body of a delivery as Standard Webhooks has it; of one event always the same text. */
export const bodyOf = (
  { type, createdAt }: Pick<EventRecord, 'type' | 'createdAt'>,
  eventText: string,
): string => `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},"data":${eventText}}`

/** A delivery as callers see it. */
export const describedDelivery = (record: DeliveryRecord): SubscriptionDelivery => ({
  id: record.id,
  eventId: record.eventId,
  eventType: record.eventType,
  status: record.status,
  tries: record.tries,
  nextTryAt: record.status === 'pending' ? record.dueAt.toISOString() : null,
  lastStatus: record.lastStatus,
  lastError: record.lastError,
  createdAt: record.createdAt.toISOString(),
  deliveredAt: record.deliveredAt?.toISOString() ?? null,
})

export const deliveryNotFound = (): Failure =>
  new Failure('ObjectNotFoundError', 'There is no such delivery of this subscription: check its id.')

export type DeliveryStore = ReturnType<typeof deliveryStore>

const columns = sql`
  id, event_id as "eventId", event_type as "eventType", status, tries, due_at as "dueAt", last_status as "lastStatus",
  last_error as "lastError", created_at as "createdAt", delivered_at as "deliveredAt"`
const LOG_LENGTH = 100
/** A notice has at most 8,000 bytes. */
const NAMED_MAX = 150

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
  async add(added: readonly NewDelivery[], now: Date, options: { again?: boolean } = {}): Promise<void> {
    const conflict =
      options.again === true
        ? sql`do update set status = 'pending', tries = 0, hastened = 0, begun_at = excluded.begun_at,
            due_at = excluded.due_at
            where d.status <> 'pending'`
        : sql`do nothing`
    // An event is sent once, however many subscriptions want it.
    const events = [...new Set(added.map(({ event }) => event))]
    const texts = textArray(events.map((event) => JSON.stringify(event)))
    const places = new Map(events.map((event, at) => [event, at + 1]))
    const woken = await queries.many<{ id: string }>(sql`
      with added as (
        insert into events.deliveries as d
          (id, subscription_id, event_id, event_type, event, begun_at, due_at, created_at)
        select g.id, g.subscription_id, e.id, e.type, e.text::json, ${now}, least(${now}, now()), ${now}
        from unnest(${added.map(({ id }) => id)}::uuid[], ${added.map(({ subscriptionId }) => subscriptionId)}::uuid[],
          ${added.map(({ event }) => places.get(event))}::int[]) with ordinality as g(id, subscription_id, place, n)
        join unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ type }) => type)}::text[],
          ${texts}::text[]) with ordinality as e(id, type, text, place)
          on e.place = g.place
        order by g.n
        on conflict (id) ${conflict} returning d.subscription_id),
      queues as (
        select subscription_id from events.subscription_queues
        where subscription_id in (select subscription_id from added) order by 1 for update)
      update events.subscription_queues q set due_at = least(q.due_at, ${now}, now()), news = q.news + 1
      from queues where q.subscription_id = queues.subscription_id returning q.subscription_id as id`)
    if (woken.length > 0)
      queries.notify(WEBHOOKS, woken.length <= NAMED_MAX ? woken.map(({ id }) => id).join(',') : '')
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
    if (row !== undefined) await wake(queries, subscriptionId, now)
    return row
  },
})
