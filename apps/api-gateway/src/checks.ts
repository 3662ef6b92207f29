import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import type { Database } from '@platform/database'
import type { Check } from '@platform/readiness'
import type { Outcome } from './readiness/readiness.ts'

/** What the gateway needs to be ready. */
export interface GatewayNeeds {
  database: Database
  cache: Cache
  broker: Broker
  /** Asks for the key set at the address verifiers use. */
  reachJwks: (signal: AbortSignal) => Promise<unknown>
  runtime: () => Promise<Outcome>
  events: () => Promise<Outcome>
  workspaces: () => Promise<Outcome>
}

export const gatewayChecks = (needs: GatewayNeeds): Check[] => [
  { module: 'database', driver: needs.database.driver, probe: (signal) => needs.database.ping(signal) },
  { module: 'sessionsRedis', driver: needs.cache.driver, probe: (signal) => needs.cache.ping(signal) },
  { module: 'rateLimitsRedis', driver: needs.cache.driver, probe: (signal) => needs.cache.ping(signal) },
  { module: 'broker', driver: needs.broker.driver, probe: (signal) => needs.broker.ping(signal) },
  { module: 'jwks', driver: 'http', probe: (signal) => needs.reachJwks(signal) },
  { module: 'runtime', driver: 'service', probe: () => reached(needs.runtime) },
  { module: 'events', driver: 'service', probe: () => reached(needs.events) },
  { module: 'workspaces', driver: 'service', probe: () => reached(needs.workspaces) },
]

/** The gateway needs to reach a service; whether that one is ready is its own entry. */
async function reached(report: () => Promise<Outcome>): Promise<void> {
  const outcome = await report()
  if ('error' in outcome) throw new UnreachableService(outcome.error.message)
}

class UnreachableService extends Error {
  override readonly name = 'ServiceUnavailable'
}
