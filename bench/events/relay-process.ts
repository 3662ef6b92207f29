import { type BatchHandler, openBroker } from '@platform/broker'
import { type EventRecord, eventStream } from '@platform/contracts'
import { openDatabase } from '@platform/database'
import { openOutbox } from '@platform/outbox'
import { openLog } from '@platform/search'

/**
 * What a process of the bench does: relays the log to the broker, handles what comes from it as a group, or keeps it.
 */
export interface RelayOrder {
  role: 'relay' | 'handler' | 'keeper'
  databaseUrl: string
  brokerUrl: string
}

const log = { info: () => {}, warn: () => {}, error: () => {} }

/** Tells its CPU seconds and how many events it has handled, whenever it is asked. */
async function work({ role, databaseUrl, brokerUrl }: RelayOrder): Promise<void> {
  const database = await openDatabase(databaseUrl, { poolSize: 4 })
  const broker = await openBroker(brokerUrl, { database, log })
  let handled = 0
  const consume = (handle: BatchHandler, options = {}) =>
    broker.queue.consume(
      'bench',
      async (events) => {
        await handle(events)
        handled += events.length
      },
      options,
    )
  if (role === 'relay') await openOutbox({ database, broker, log })
  else if (role === 'handler') await consume(async () => undefined)
  else {
    const eventLog = await openLog(database)
    // As the events service does it.
    const keep = async (events: EventRecord[]) =>
      await eventLog.append(
        events.map((event) => ({
          stream: eventStream(event.source.workspaceId),
          id: event.id,
          document: { ...event },
        })),
      )
    await consume(keep, { maxBatch: 512 })
  }
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ handled, cpuSeconds: (user + system) / 1e6 })
  })
  process.send?.('ready')
}

process.once('message', (order: RelayOrder) => void work(order))
process.once('disconnect', () => process.exit())
