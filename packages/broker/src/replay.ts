import type { EventRecord } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { type Delivery, handleBatch, reasonOf, throughOutages } from './deliver.ts'

const LOOK_EVERY_MS = 1000
/** Letters taken between two batches. */
const MOST_AT_ONCE = 20
/** How long letters that fail may keep new events waiting; for the first letter only its handler's own limit counts. */
const SHARE_MS = 100

/** A letter that was asked for, and when: asking for it anew while it is delivered asks for another delivery. */
interface Asked {
  record: EventRecord
  eventId: string
  askedAt: string
}

/**
 * What the active process of a group calls between two batches: delivers a few of the dead letters of the group that
 * were asked for again, and returns whether more of them wait. New events come first: a letter that fails is tried
 * once and stored with its new reason, and where a store is away letters wait while the group goes on.
 */
export function replayer(database: Database, delivery: Delivery): () => Promise<boolean> {
  const store = letterStore(database, delivery)
  let lookAt = 0
  return async () => {
    if (performance.now() < lookAt) return false
    const asked = await store.next()
    const isMore = asked.length > 0 && (await replay(asked, store, delivery))
    if (!isMore) lookAt = performance.now() + LOOK_EVERY_MS
    return isMore
  }
}

/** Returns whether more of them wait. */
async function replay(asked: Asked[], store: LetterStore, delivery: Delivery): Promise<boolean> {
  const isFull = asked.length === MOST_AT_ONCE
  const endsAt = performance.now() + SHARE_MS
  try {
    if ((await failureOf(asked, delivery)) !== undefined)
      return (await replayEach(asked, store, delivery, endsAt)) || isFull
    await store.forget(asked)
    return isFull
  } catch (error) {
    if (delivery.signal.aborted || !isAway(error)) throw error
    delivery.log.warn({ group: delivery.group, err: error }, 'a store is away, dead letters wait')
    return false
  }
}

/** Returns whether time was too short for some of them; these are still asked for. */
async function replayEach(
  asked: Asked[],
  store: LetterStore,
  delivery: Delivery,
  endsAt: number,
): Promise<boolean> {
  for (const [index, letter] of asked.entries()) {
    if (index > 0 && performance.now() >= endsAt) return true
    const error = await failureOf([letter], delivery)
    if (error === undefined) await store.forget([letter])
    else await throughOutages(delivery, () => delivery.giveUp(letter.record, reasonOf(error)))
  }
  return false
}

/** What the handler threw; rejects when a store is away. */
async function failureOf(asked: Asked[], delivery: Delivery): Promise<unknown> {
  const records = asked.map(({ record }) => record)
  try {
    await handleBatch(records, delivery)
    return undefined
  } catch (error) {
    if (isAway(error)) throw error
    return error ?? new Error('The handler rejected without a reason.')
  }
}

const isAway = (error: unknown): boolean => error instanceof StoreError && error.unavailable

type LetterStore = ReturnType<typeof letterStore>

/** The letters of one group; a database that is away is waited for. */
const letterStore = (database: Database, delivery: Delivery) => ({
  /** Of those that were asked for, the ones that were stored first. */
  next: () =>
    throughOutages(delivery, () =>
      database.many<Asked>(sql`
        select record, event_id as "eventId", replay_asked_at::text as "askedAt" from outbox.dead_letters
        where group_name = ${delivery.group} and replay_asked_at is not null order by number limit ${MOST_AT_ONCE}`),
    ),

  /**
   * By the time of asking as well: a letter that was asked for anew while it was delivered is delivered once more.
   */
  forget: (asked: Asked[]) => {
    const ids = asked.map(({ eventId }) => eventId)
    const times = asked.map(({ askedAt }) => askedAt)
    return throughOutages(delivery, () =>
      database.many(sql`
        delete from outbox.dead_letters
        where group_name = ${delivery.group} and (event_id, replay_asked_at) in (
          select * from unnest(${ids}::text[], ${times}::timestamptz[]))`),
    )
  },
})
