import type { DeadLetter } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Log, PlacedDocument, Rejection, SearchIndex, StreamDocument } from '@platform/search'
import { storedDocuments } from '../event-log/append-to-log.ts'
import type { IndexCounts } from './index-counts.ts'
import type { IndexStore } from './index-store.ts'

export const INDEX_GROUP = 'index'
/** An event that is indexed later than this was waiting for something: its neighbours may wait still. */
const LATE_MS = 10_000

/** Where rejected documents go. */
export type StoreDeadLetter = (letter: DeadLetter) => Promise<void>

interface Deps {
  log: Pick<Log, 'append' | 'sequencesOf'>
  index: Pick<SearchIndex, 'add'>
  store: Pick<IndexStore, 'note'>
  storeLetter: StoreDeadLetter
  counts: IndexCounts
  clock: Clock
}

/**
 * Copies committed events into the index with their places in the log. Rejects while the index is away: the broker
 * waits and gives the batch again. What the index refuses for what it is becomes a dead letter, and the rest goes on.
 */
export const indexEvents =
  (deps: Deps) =>
  async (events: EventRecord[]): Promise<void> => {
    const documents = storedDocuments(events)
    if (documents.length === 0) return
    const placed = await placesOf(deps.log, documents)

    await addToIndex(deps, placed)

    const oldestMs = Math.min(...events.map(({ createdAt }) => Date.parse(createdAt)))
    const reached = Math.max(0, ...placed.map(({ sequence }) => sequence))
    await deps.store.note(reached, deps.clock.now().getTime() - oldestMs > LATE_MS)
  }

/** Adds documents; those that are refused become dead letters of the group. */
export async function addToIndex(
  { index, storeLetter, counts }: Pick<Deps, 'index' | 'storeLetter' | 'counts'>,
  placed: readonly PlacedDocument[],
): Promise<void> {
  const rejections = await index.add(placed)
  const documents = rejections.length === 0 ? undefined : new Map(placed.map((one) => [one.id, one.document]))
  for (const rejection of rejections) await storeLetter(letterOf(rejection, documents?.get(rejection.id)))
  counts.indexed += placed.length - rejections.length
  counts.rejected += rejections.length
}

const letterOf = ({ id, reason }: Rejection, record: unknown): DeadLetter => ({
  group: INDEX_GROUP,
  eventId: id,
  record,
  reason: reason.replaceAll('\0', '').slice(0, 2000),
})

/** The group of the log may come later than this one: what is not there yet is appended first. */
async function placesOf(log: Deps['log'], documents: StreamDocument[]): Promise<PlacedDocument[]> {
  const known = await log.sequencesOf(documents.map(({ id }) => id))
  const missing = documents.filter(({ id }) => !known.has(id))
  if (missing.length > 0) {
    await log.append(missing)
    for (const [id, sequence] of await log.sequencesOf(missing.map(({ id }) => id))) known.set(id, sequence)
  }
  return documents.flatMap((one) => {
    const sequence = known.get(one.id)
    // Not there in spite of all: its stream was deleted this moment.
    return sequence === undefined ? [] : [{ ...one, sequence }]
  })
}
