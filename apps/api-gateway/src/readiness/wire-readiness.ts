import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { getJwks } from '@platform/contracts'
import type { Database } from '@platform/database'
import { createClient } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { cachedFor, runChecks } from '@platform/readiness'
import { gatewayChecks } from '../checks.ts'
import type { GatewayConfig } from '../config.ts'
import { getReadiness } from './get-readiness.ts'
import { serviceReports } from './service-reports.ts'

interface Needs {
  database: Database
  cache: Cache
  broker: Broker
  config: GatewayConfig
  clock: Clock
}

/** The readiness of the platform, for the composition root. */
export function wireReadiness({ database, cache, broker, config, clock }: Needs) {
  const cacheTtlMs = config.readinessCacheTtlMs
  const { internalApiKey: internalKey, upstreams } = config
  const reports = (name: 'runtime' | 'events' | 'workspaces') =>
    serviceReports({ name, urls: upstreams[name], internalKey, cacheTtlMs, clock })
  const services = {
    runtime: reports('runtime'),
    events: reports('events'),
    workspaces: reports('workspaces'),
  }
  const reachJwks = (signal: AbortSignal) => createClient(config.internalOrigin)(getJwks, { signal })
  const checks = gatewayChecks({ database, cache, broker, reachJwks, ...services })
  const gateway = cachedFor(cacheTtlMs, clock, () => runChecks(checks))
  return { checks, routes: [getReadiness({ gateway, services })] }
}
