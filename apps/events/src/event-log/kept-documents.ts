import { type EventRecord, eventStream } from '@platform/contracts'
import type { StreamDocument } from '@platform/search'

/** What is kept of committed events: all but those that are only to be seen live. */
export const keptDocuments = (events: readonly EventRecord[]): StreamDocument[] =>
  events
    .filter(({ options }) => options?.persist !== false)
    .map((event) => ({
      stream: eventStream(event.source.workspaceId),
      id: event.id,
      document: { ...event },
    }))
