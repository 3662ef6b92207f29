import { type Broker, deliveryWarnings } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { type Database, sql } from '@platform/database'
import { reach } from '@platform/http'
import type { Check } from '@platform/readiness'

/** specification "Readiness": the row of the events service. */
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
    probe: (signal) => needs.broker.ping(signal),
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
