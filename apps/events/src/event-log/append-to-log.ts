import type { EventRecord } from '@platform/contracts'
import type { Log } from '@platform/search'
import { keptDocuments } from './kept-documents.ts'

/** Keeps committed events in the log of their workspace. Idempotent: the document's id is the event's. */
export const appendToLog =
  (deps: { log: Pick<Log, 'append'> }) =>
  async (events: EventRecord[]): Promise<void> => {
    const kept = keptDocuments(events)
    if (kept.length > 0) await deps.log.append(kept)
  }
