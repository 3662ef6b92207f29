import { knownText } from '@platform/broker'
import { type EventRecord, eventStream } from '@platform/contracts'
import type { Log, StreamDocument } from '@platform/search'

/** Stores committed events in the log of their workspace. Idempotent: the document's id is the event's. */
export const appendToLog =
  (deps: { log: Pick<Log, 'append'> }) =>
  async (events: EventRecord[]): Promise<void> => {
    const documents = storedDocuments(events)
    if (documents.length > 0) await deps.log.append(documents)
  }

/** What is stored of committed events: all but those that are only to be seen live. */
export const storedDocuments = (events: readonly EventRecord[]): StreamDocument[] =>
  events
    .filter(({ options }) => options?.persist !== false)
    .map((event) => ({
      stream: eventStream(event.source.workspaceId),
      id: event.id,
      document: { ...event },
      text: knownText(event),
    }))
