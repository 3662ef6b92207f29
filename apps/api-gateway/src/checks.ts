import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { type Database, sql } from '@platform/database'
import type { Files } from '@platform/files'
import type { Check } from '@platform/readiness'

/** What the gateway needs to be ready. */
export interface GatewayNeeds {
  database: Database
  cache: Cache
  broker: Broker
  /** Where photos are kept; absent where it is not configured. */
  files: Files | undefined
  /** Asks for the key set at the address verifiers use. */
  reachJwks: (signal: AbortSignal) => Promise<unknown>
  /** Finds out by name whether every instance of a service answers. */
  services: ReadonlyMap<string, (signal: AbortSignal) => Promise<unknown>>
}

/** The gateway's own entry in the readiness report. */
export const gatewayChecks = ({ database, cache, broker, files, ...needs }: GatewayNeeds): Check[] => [
  { module: 'database', driver: database.driver, probe: () => readTables(database) },
  { module: 'sessionsRedis', driver: cache.driver, probe: (signal) => cache.probe(signal) },
  { module: 'rateLimitsRedis', driver: cache.driver, probe: (signal) => cache.probe(signal) },
  { module: 'broker', driver: broker.driver, probe: (signal) => broker.ping(signal) },
  { module: 'jwks', driver: 'http', probe: (signal) => needs.reachJwks(signal) },
  ...(files === undefined
    ? []
    : [{ module: 'photos', driver: files.driver, probe: (signal: AbortSignal) => files.reach(signal) }]),
  ...Array.from(needs.services, ([module, probe]): Check => ({ module, driver: 'service', probe })),
]

/** Reads nothing, but fails where a table is missing or may not be read. */
const readTables = (database: Database) =>
  database.many(sql`
    select from gateway.users, gateway.sessions, gateway.signing_keys, gateway.access_tokens,
      gateway.revocations, gateway.oidc_records, permissions.workspaces
    limit 0`)
