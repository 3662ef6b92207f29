import { type EventRecord, eventStream } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import type { Filter, Search } from '@platform/search'
import type { Job } from '@platform/service'
import { deliveryOf, type NewDelivery } from './delivery.ts'
import { mayGet } from './may-get.ts'
import type { Replay } from './replay-store.ts'
import type { SubscriptionRecord } from './subscription.ts'
import type { SubscriptionChange, SubscriptionChangeStore } from './subscription-change-store.ts'
import { filterOf } from './wanted-events.ts'

interface Needs {
  changes: SubscriptionChangeStore
  /** The log. */
  search: Pick<Search, 'find'>
  permissions: Pick<Permissions, 'roleOf'>
  clock: Clock
}

const BATCH = 100
/** Events of one replay; whoever wants more asks again from where it ended. */
const REPLAY_MOST = 100_000
const EVERY_MS = 1000
const BATCH_TIMEOUT_MS = 30_000

/** Works on replays, a batch a transaction: after a crash the next instance goes on where the last batch ended. */
export const replayEvents = (deps: Needs): Job => ({
  name: 'replay-webhooks',
  everyMs: EVERY_MS,
  async run(signal) {
    while (
      !signal.aborted &&
      (await deps.changes.commit((change) => replayBatch(deps, change), { timeoutMs: BATCH_TIMEOUT_MS }))
    );
  },
})

/** Answers whether there may be more to do. */
async function replayBatch(deps: Needs, change: SubscriptionChange): Promise<boolean> {
  const replay = await change.replays.next()
  if (replay === undefined) return false
  const subscription = await change.subscriptions.find(replay.workspaceId, replay.subscriptionId)
  if (subscription === undefined) return false
  const events = await eventsOf(deps.search, replay, subscription)

  const wanted: NewDelivery[] = []
  for (const event of events)
    if (await mayGet(deps.permissions, subscription, event)) wanted.push(deliveryOf(event, subscription.id))
  if (wanted.length > 0) await change.deliveries.add(wanted, deps.clock.now(), { again: true })

  const lookedAt = replay.lookedAt + events.length
  const cursor = events.at(-1)?.id ?? firstEventOf(replay)
  if (cursor === undefined || lookedAt >= REPLAY_MOST) await change.replays.finish(replay.id)
  else await change.replays.advance(replay.id, cursor, lookedAt)
  return true
}

/** Also where the event that a replay begins with is not asked for, those after it are looked at. */
const firstEventOf = ({ cursorEvent, fromEvent }: Replay): string | undefined =>
  cursorEvent === null ? (fromEvent ?? undefined) : undefined

/** The next events that the subscription asks for; the event a replay begins with comes alone, because cursors exclude. */
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
