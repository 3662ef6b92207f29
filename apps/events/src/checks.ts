import { type Broker, BrokerError, deliveryWarnings } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { type Database, sql } from '@platform/database'
import { SECOND_MS } from '@platform/kernel'
import { unrelayedMs } from '@platform/outbox'
import type { Check } from '@platform/readiness'
import { reach } from '@platform/service-client'

/** Events may wait this long for the broker before it counts as one that does not work. */
const UNRELAYED_MS = 60 * SECOND_MS

/** What the readiness of the events service depends on. */
export const eventsChecks = (needs: {
  cache: Cache
  broker: Broker
  permissions: Database
  search: Check
  gatewayUrl: string
}): Check[] => [
  { module: 'cache', driver: needs.cache.driver, probe: (signal) => needs.cache.probe(signal) },
  {
    module: 'broker',
    driver: needs.broker.driver,
    probe: async (signal) => {
      await needs.broker.ping(signal)
      await requireRelayed(needs)
    },
    warnings: () => deliveryWarnings(needs.permissions),
  },
  {
    module: 'permissions',
    driver: needs.permissions.driver,
    probe: () => needs.permissions.many(sql`select from permissions.workspaces, permissions.members limit 0`),
  },
  needs.search,
  { module: 'gateway', driver: 'http', probe: (signal) => reach(`${needs.gatewayUrl}/`, signal) },
]

/** A broker that answers and takes no events does not do its work, for example with a full disk. */
async function requireRelayed({ broker, permissions }: { broker: Broker; permissions: Database }) {
  if (broker.relayTarget === undefined) return
  const waitingMs = await unrelayedMs({ database: permissions, target: broker.relayTarget })
  if (waitingMs <= UNRELAYED_MS) return
  throw new BrokerError(
    `Events wait for the broker for ${Math.round(waitingMs / SECOND_MS)} s: ` +
      'it takes none or not enough; look at its disk and its limits.',
    { unavailable: true },
  )
}
