import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { type Database, sql } from '@platform/database'
import type { Check } from '@platform/readiness'
import { reach } from '@platform/service-client'
import type { RuntimeConfig } from './config.ts'
import type { DefinitionStore } from './definitions/definition-store.ts'

interface Needs {
  readonly cache: Cache
  readonly broker: Broker
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly gatewayUrl: string
  readonly neighbours: RuntimeConfig['neighbours']
}

export const runtimeChecks = ({
  cache,
  broker,
  database,
  definitions,
  gatewayUrl,
  neighbours,
}: Needs): Check[] => [
  { module: 'cache', driver: cache.driver, probe: (signal) => cache.probe(signal) },
  { module: 'broker', driver: broker.driver, probe: (signal) => broker.ping(signal) },
  {
    module: 'permissions',
    driver: database.driver,
    probe: () => database.many(sql`select from permissions.workspaces, permissions.members limit 0`),
  },
  {
    module: 'collections',
    driver: database.driver,
    probe: () => database.many(sql`select from runtime.runs, runtime.contexts limit 0`),
  },
  { module: 'automations', driver: database.driver, probe: () => definitions.probe() },
  { module: 'gateway', driver: 'http', probe: (signal) => reach(`${gatewayUrl}/`, signal) },
  ...neighbour('searchengine', neighbours.searchengine),
  ...neighbour('functions', neighbours.functions),
]

/** Checked only where it is configured. */
const neighbour = (module: string, url: string | undefined): Check[] =>
  url === undefined ? [] : [{ module, driver: 'http', probe: (signal) => reach(url, signal) }]
