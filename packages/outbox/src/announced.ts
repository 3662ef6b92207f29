import type { Broker } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'

/** A committed event as it is announced to every instance. `payload` is undefined when it was too large for that. */
export interface AnnouncedEvent {
  type: string
  workspaceId: string | undefined
  payload: unknown
}

/** Longest payload that is announced, in bytes; the same holds inside PostgreSQL (function outbox.announce). */
const PAYLOAD_BYTES = 6000

export const announcementTopic = (type: string): string => `event:${type}`

/** The text that is announced for an event. */
export function announcementOf({ type, source, payload }: EventRecord): string {
  const fits = Buffer.byteLength(JSON.stringify(payload) ?? '') <= PAYLOAD_BYTES
  return JSON.stringify({ type, workspaceId: source.workspaceId, ...(fits ? { payload } : {}) })
}

/**
 * Calls `handle` on this instance for each committed event of a contract with `everyInstance`, best effort. `onGap`
 * is called when some may have been missed: then what was cached is to be loaded again.
 */
export const onAnnouncedEvent = (
  broker: Broker,
  type: string,
  handle: (event: AnnouncedEvent) => void,
  onGap?: () => void,
): Promise<AsyncDisposable> =>
  broker.announcements.listen(announcementTopic(type), (text) => handle(parseAnnouncement(type, text)), onGap)

function parseAnnouncement(type: string, text: string): AnnouncedEvent {
  const value: unknown = JSON.parse(text)
  const event: { workspaceId?: unknown; payload?: unknown } =
    typeof value === 'object' && value !== null ? value : {}
  const workspaceId = typeof event.workspaceId === 'string' ? event.workspaceId : undefined
  return { type, workspaceId, payload: event.payload }
}
