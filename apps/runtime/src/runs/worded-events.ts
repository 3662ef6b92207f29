import { automationExecuted, type EventRecord, eventStream } from '@platform/contracts'
import type { Database, Sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { WordMaker } from '@platform/search'

/**
 * How events are written for a log that copies them: those that every run leaves have with them by what they are to be
 * found, so that the log need not read them (ADR 0095).
 */
export function wordedEvents(database: Database): (events: readonly EventRecord[]) => Sql {
  const maker = new WordMaker(database)
  const wordsOf = (event: EventRecord) =>
    event.type === automationExecuted.type ? maker.wordsOf(documentOf(event)) : undefined
  return (events) => insertEvents(events, undefined, wordsOf)
}

/** As the service of events stores it (`storedDocuments`). */
const documentOf = (event: EventRecord) => ({
  stream: eventStream(event.source.workspaceId),
  id: event.id,
  document: { ...event },
})
