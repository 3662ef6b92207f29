import { type BriefRecord, type Broker, isWhole } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import { type ReaderTopics, tellsOfMembers } from './reader-topics.ts'
import type { Tail } from './tail.ts'

/** The topic on which events that are not stored reach every instance. */
const LIVE_TOPIC = 'live'
/** An announcement takes 7,000 bytes, and quoting makes its text longer. */
const ANNOUNCED_BYTES = 6500

/** What is announced: the event, or where it is found. */
type Announced = { record: EventRecord } | { id: string }

/** The handler of group `live`: what is not stored is in no log, so every instance is sent it. Best effort. */
export const announceUnstored =
  (deps: { broker: Pick<Broker, 'announcements'> }) =>
  async (all: readonly BriefRecord[]): Promise<void> => {
    const events = all.filter(isWhole)
    // Who has joined a topic sees what comes behind that, though it is in no log.
    for (const record of events.filter(tellsOfMembers))
      await deps.broker.announcements.announce(LIVE_TOPIC, textOf(record))
    const unstored = events.filter(({ options }) => options?.persist === false)
    await Promise.all(
      unstored.map((record) => deps.broker.announcements.announce(LIVE_TOPIC, textOf(record))),
    )
  }

function textOf(record: EventRecord): string {
  const text = JSON.stringify({ record } satisfies Announced)
  const fits = Buffer.byteLength(JSON.stringify(text)) <= ANNOUNCED_BYTES
  return fits ? text : JSON.stringify({ id: record.id } satisfies Announced)
}

/** Hands what other instances announce to the readers of this one. */
export const listenForUnstored = (deps: {
  broker: Pick<Broker, 'announcements'>
  tail: Tail
  topics: Pick<ReaderTopics, 'apply'>
  logger: Logger
  /** The record of an event that was too large to be announced. */
  findRecord: (id: string) => Promise<EventRecord | undefined>
}): Promise<AsyncDisposable> =>
  deps.broker.announcements.listen(LIVE_TOPIC, (text) => {
    const announced = JSON.parse(text) as Announced
    const hear = (record: EventRecord) => {
      // They are in the log as well, for readers.
      if (tellsOfMembers(record)) deps.topics.apply(record)
      else deps.tail.publish(record)
    }
    if ('record' in announced) {
      hear(announced.record)
      return
    }
    deps.findRecord(announced.id).then(
      (record) => record && hear(record),
      (error: unknown) => deps.logger.warn({ err: error }, 'an event that is not kept was missed'),
    )
  })
