import type { Database } from '@platform/database'
import { type Broker, type BrokerLog, toBrokerError } from '../broker.ts'
import { consumeLog } from '../consume-log.ts'
import { insertEvents, readLog, wakeReaders } from '../event-log.ts'
import { LogWindow } from '../log-window.ts'
import { postgresAnnouncements } from './announcements.ts'

/** The broker that needs nothing but PostgreSQL: the outbox table is the queue. */
export async function openPostgresBroker(database: Database, log: BrokerLog): Promise<Broker> {
  const consumers = new AsyncDisposableStack()
  const window = new LogWindow((...asked) => readLog(database, ...asked))
  return {
    driver: 'postgres',
    readsOutbox: true,
    queue: {
      async publish(events) {
        try {
          await database.many(insertEvents(events, () => false))
          wakeReaders(database)
        } catch (error) {
          throw toBrokerError(error)
        }
      },
      consume: async (group, handle, options) =>
        consumers.use(consumeLog({ database, log, window }, group, handle, options)),
    },
    announcements: postgresAnnouncements(database, log),
    async ping(signal) {
      try {
        await database.ping(signal)
      } catch (error) {
        throw toBrokerError(error)
      }
    },
    [Symbol.asyncDispose]: () => consumers.disposeAsync(),
  }
}
