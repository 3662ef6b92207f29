import { type Database, noticesOf } from '@platform/database'
import { type Announcements, BrokerError, type BrokerLog, notifySafely, toBrokerError } from '../broker.ts'

const CHANNEL = 'announcements'
/** PostgreSQL refuses a notice of 8,000 bytes and more. */
const NOTICE_BYTES = 7999

/**
 * Announcements as notices of PostgreSQL, all topics on one channel: a connection listens to few channels, and
 * always.
 */
export function postgresAnnouncements(database: Database, log: BrokerLog): Announcements {
  return {
    async announce(topic, payload) {
      const notice = JSON.stringify({ topic, payload })
      if (Buffer.byteLength(notice) > NOTICE_BYTES) {
        throw new BrokerError(`The announcement of "${topic}" is too large for one notice.`, {
          unavailable: false,
        })
      }
      try {
        await database.many(noticesOf([{ channel: CHANNEL, payload: notice }]))
      } catch (error) {
        throw toBrokerError(error)
      }
    },
    listen(topic, handle, onGap) {
      const quoted = JSON.stringify(topic)
      const notify = notifySafely(topic, handle, log)
      const onNotice = (notice: string) => {
        // Most notices are for others; looking for the name spares parsing them.
        if (!notice.includes(quoted)) return
        const parsed = parseNotice(notice)
        if (parsed?.topic === topic) notify(parsed.payload)
      }
      return database.listen(CHANNEL, onNotice, onGap)
    },
  }
}

/** Every user of the database can notify: a notice that is not an announcement is ignored. */
function parseNotice(notice: string): { topic: string; payload: string } | undefined {
  try {
    const parsed: unknown = JSON.parse(notice)
    return isNotice(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const isNotice = (value: unknown): value is { topic: string; payload: string } =>
  typeof value === 'object' &&
  value !== null &&
  'topic' in value &&
  typeof value.topic === 'string' &&
  'payload' in value &&
  typeof value.payload === 'string'
