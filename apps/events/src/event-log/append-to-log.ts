import { type BriefRecord, isWhole, knownText } from '@platform/broker'
import { automationExecuted, type EventRecord, eventStream } from '@platform/contracts'
import type { AppendedDocument, Log, StreamDocument } from '@platform/search'

/**
 * The events there are most of: where the log has them beside it, it copies them, and none of the groups of this
 * service needs more of them than whose they are (ADR 0095).
 */
export const BRIEF_TYPES: readonly string[] = [automationExecuted.type]

/** Stores committed events in the log of their workspace. Idempotent: the document's id is the event's. */
export const appendToLog =
  (deps: { log: Pick<Log, 'append'> }) =>
  async (events: readonly BriefRecord[]): Promise<void> => {
    const documents = events.flatMap(documentOf)
    if (documents.length > 0) await deps.log.append(documents)
  }

const documentOf = (event: BriefRecord): AppendedDocument[] =>
  isWhole(event)
    ? storedDocuments([event])
    : [{ stream: eventStream(event.source.workspaceId), id: event.id }]

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
