import { type EventRecord, eventStream } from '@platform/contracts'
import type { Search } from '@platform/search'

/** Keeps committed events in the log of their workspace. Idempotent: the document's id is the event's. */
export const appendToLog =
  (deps: { search: Search }) =>
  async (events: EventRecord[]): Promise<void> => {
    const kept = events.filter(({ options }) => options?.persist !== false)
    if (kept.length === 0) return
    await deps.search.append(
      kept.map((event) => ({
        stream: eventStream(event.source.workspaceId),
        id: event.id,
        document: { ...event },
      })),
    )
  }
