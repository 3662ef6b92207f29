import { openBroker } from '@platform/broker'
import { openDatabase } from '@platform/database'
import { openOutbox } from '@platform/outbox'

/** What a process of the bench does: relays the log to the broker, or handles what comes from it as a group. */
export interface RelayOrder {
  role: 'relay' | 'handler'
  databaseUrl: string
  brokerUrl: string
}

const log = { info: () => {}, warn: () => {}, error: () => {} }

/** Tells its CPU seconds and how many events it has handled, whenever it is asked. */
async function work({ role, databaseUrl, brokerUrl }: RelayOrder): Promise<void> {
  const database = await openDatabase(databaseUrl, { poolSize: 4 })
  const broker = await openBroker(brokerUrl, { database, log })
  let handled = 0
  if (role === 'relay') await openOutbox({ database, broker, log })
  else
    await broker.queue.consume('bench', async (events) => {
      handled += events.length
    })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ handled, cpuSeconds: (user + system) / 1e6 })
  })
  process.send?.('ready')
}

process.once('message', (order: RelayOrder) => void work(order))
process.once('disconnect', () => process.exit())
