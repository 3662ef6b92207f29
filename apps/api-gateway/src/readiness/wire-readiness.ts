import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { getJwks, type ServiceEntry } from '@platform/contracts'
import type { Database } from '@platform/database'
import type { Files } from '@platform/files'
import { createClient } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { cachedFor, runChecks } from '@platform/readiness'
import { gatewayChecks } from '../checks.ts'
import type { GatewayConfig } from '../config.ts'
import { getReadiness } from './get-readiness.ts'
import { gatewayEntry, serviceEntry } from './readiness.ts'
import { reachInstances, serviceReports } from './service-reports.ts'

interface Needs {
  database: Database
  cache: Cache
  broker: Broker
  files: Files | undefined
  config: GatewayConfig
  clock: Clock
}

/**
 * The readiness of the platform, for the composition root. `report` is the gateway's own, one round for whoever asks.
 */
export function wireReadiness({ config, clock, ...stores }: Needs) {
  const { internalApiKey: internalKey, readinessCacheTtlMs: cacheTtlMs } = config
  const services = Object.entries(checkedServices(config))
  const checks = gatewayChecks({
    ...stores,
    reachJwks: (signal) => createClient(config.internalOrigin)(getJwks, { signal }),
    services: new Map(services.map(([name, urls]) => [name, reachInstances(urls)])),
  })
  const report = cachedFor(cacheTtlMs, clock, () => runChecks(checks))
  const sources = new Map<string, () => Promise<ServiceEntry>>([
    ['api-gateway', async () => gatewayEntry(await report())],
    ...services.map(([name, urls]) => {
      const outcome = serviceReports({ name, urls, internalKey, cacheTtlMs, clock })
      return [name, async () => serviceEntry(await outcome())] as const
    }),
  ])
  return { checks, report, routes: [getReadiness(sources)] }
}

/**
 * Those behind the gateway, and two more where their address is configured (decisions C13); in the order of the
 * report.
 */
const checkedServices = ({ upstreams, readiness }: GatewayConfig): Record<string, readonly string[]> => ({
  runtime: upstreams.runtime,
  events: upstreams.events,
  workspaces: upstreams.workspaces,
  ...(readiness.searchengine.length === 0 ? {} : { searchengine: readiness.searchengine }),
  ...(readiness.crawler.length === 0 ? {} : { crawler: readiness.crawler }),
})
