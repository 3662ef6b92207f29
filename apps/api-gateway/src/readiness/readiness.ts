import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { getJwks, type ServiceEntry, type ServiceReport } from '@platform/contracts'
import type { Database } from '@platform/database'
import type { Files } from '@platform/files'
import type { Clock } from '@platform/kernel'
import { type Check, cachedFor, runChecks } from '@platform/readiness'
import type { Part } from '@platform/service'
import { createClient } from '@platform/service-client'
import { gatewayChecks } from '../checks.ts'
import type { GatewayConfig } from '../config.ts'
import { getReadiness } from './get-readiness.ts'
import { reachInstances, serviceEntry, serviceReports } from './service-reports.ts'

interface Needs {
  database: Database
  cache: Cache
  broker: Broker
  files: Files | undefined
  config: GatewayConfig
  clock: Clock
  /** On what was found when the schemas were migrated. */
  schemaChecks: readonly Check[]
}

/** The readiness of the platform, as the gateway tells it. */
export interface Readiness {
  part: Part
  /** The gateway's own; one round of probes serves all who ask within the cache period. */
  report: () => Promise<ServiceReport>
}

export function openReadiness(needs: Needs): Readiness {
  const { database, cache, broker, files, config, clock, schemaChecks } = needs
  const { internalApiKey: internalKey, readinessCacheTtlMs: cacheTtlMs } = config
  const services = Object.entries(checkedServices(config))
  const checks = gatewayChecks({
    database,
    cache,
    broker,
    files,
    reachJwks: (signal) => createClient(config.internalOrigin)(getJwks, { signal }),
    services: new Map(services.map(([name, urls]) => [name, reachInstances(urls)])),
  })
  const report = cachedFor(cacheTtlMs, clock, () => runChecks([...checks, ...schemaChecks]))
  const sources = new Map<string, () => Promise<ServiceEntry>>([
    ['api-gateway', report],
    ...services.map(([name, urls]) => {
      const outcome = serviceReports({ name, urls, internalKey, cacheTtlMs, clock })
      return [name, async () => serviceEntry(await outcome())] as const
    }),
  ])
  return { part: { checks, routes: [getReadiness(sources)] }, report }
}

/** Those behind the gateway, and the external ones whose address is configured; in the order of the report. */
const checkedServices = ({ upstreams, externalServices }: GatewayConfig): Record<string, string[]> => ({
  ...upstreams,
  ...Object.fromEntries(Object.entries(externalServices).filter(([, urls]) => urls.length > 0)),
})
