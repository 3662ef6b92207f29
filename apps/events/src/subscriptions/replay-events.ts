import { type EventRecord, eventStream } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import type { Filter, Search } from '@platform/search'
import type { Job } from '@platform/service'
import { mayReceive } from '../event-log/event-visibility.ts'
import { deliveryOf, type NewDelivery } from './delivery-store.ts'
import type { Replay, ReplayStore } from './replay-store.ts'
import type { SubscriptionRecord } from './subscription.ts'
import type { SubscriptionChange, SubscriptionChangeStore } from './subscription-change-store.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import { filterOf } from './wanted-events.ts'

interface Needs {
  changes: SubscriptionChangeStore
  replays: Pick<ReplayStore, 'take'>
  subscriptions: Pick<SubscriptionStore, 'find'>
  /** The log. */
  search: Pick<Search, 'find'>
  permissions: Pick<Permissions, 'roleOf'>
  clock: Clock
}

const BATCH = 100
/** Events of one replay; for more, another replay begins where it ended. */
const REPLAY_MOST = 100_000
const EVERY_MS = 1000

/**
 * Works on replays, a batch after the other: after a crash another instance goes on where the last batch ended. The
 * log is searched before anything is locked: who reads the outbox waits for every transaction that has begun to
 * write.
 */
export const replayEvents = (deps: Needs): Job => ({
  name: 'replay-webhooks',
  everyMs: EVERY_MS,
  async run(signal) {
    while (!signal.aborted && (await replayBatch(deps)));
  },
})

/** Answers whether there may be more to do. */
async function replayBatch(deps: Needs): Promise<boolean> {
  const replay = await deps.replays.take()
  if (replay === undefined) return false
  const subscription = await deps.subscriptions.find(replay.workspaceId, replay.subscriptionId)
  // Deleted meanwhile, and the replay with it.
  if (subscription === undefined) return true
  const events = await eventsOf(deps.search, replay, subscription)

  const wanted: NewDelivery[] = []
  for (const event of events)
    if (await mayReceive(deps.permissions, subscription, event))
      wanted.push(deliveryOf(event, subscription.id))

  await deps.changes.commit((change) => keep(change, replay, { events, wanted, now: deps.clock.now() }))
  return true
}

interface Batch {
  events: readonly EventRecord[]
  wanted: readonly NewDelivery[]
  now: Date
}

/**
 * Adds the deliveries of a batch and says how far the replay has come, together; nothing where another process has
 * done it.
 */
async function keep(
  { replays, deliveries }: SubscriptionChange,
  replay: Replay,
  { events, wanted, now }: Batch,
): Promise<void> {
  if (!(await replays.lockAsRead(replay))) return
  if (wanted.length > 0) await deliveries.add(wanted, now, { again: true })
  const lookedAt = replay.lookedAt + events.length
  const cursor = events.at(-1)?.id ?? firstEventOf(replay)
  if (cursor === undefined || lookedAt >= REPLAY_MOST) await replays.finish(replay.id)
  else await replays.advance(replay.id, cursor, lookedAt)
}

/** Also where the event that a replay begins with is not asked for, those after it are looked at. */
const firstEventOf = ({ cursorEvent, fromEvent }: Replay): string | undefined =>
  cursorEvent === null ? (fromEvent ?? undefined) : undefined

/**
 * The next events that the subscription asks for; the event a replay begins with comes alone, because cursors
 * exclude.
 */
async function eventsOf(
  search: Needs['search'],
  { workspaceId, fromEvent, fromAt, toAt, cursorEvent }: Replay,
  subscription: SubscriptionRecord,
): Promise<EventRecord[]> {
  const all: Filter[] = [filterOf(subscription), { path: 'createdAt', below: toAt.toISOString() }]
  if (fromAt !== null) all.push({ path: 'createdAt', atLeast: fromAt.toISOString() })
  if (fromEvent !== null && cursorEvent === null) all.push({ path: 'id', in: [fromEvent] })
  const found = await search.find(eventStream(workspaceId), {
    filter: { all },
    sort: 'asc',
    limit: BATCH,
    ...(cursorEvent === null ? {} : { afterId: cursorEvent }),
  })
  return found as unknown as EventRecord[]
}
