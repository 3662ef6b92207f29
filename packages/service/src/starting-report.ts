import type { Env } from '@platform/config'
import type { ModuleError, ServiceReport } from '@platform/contracts'
import type { StoreError } from '@platform/kernel'
import type { Service } from './service.ts'
import { obstacleSentence, rootOf } from './store-notices.ts'

/** What a service waits for before it can be built; nothing while it is being built. */
export interface Waiting {
  obstacle: StoreError | undefined
}

/** The report of a service that is not built yet: an operator sees which store it waits for. */
export function startingReport(service: Service['name'], env: Env, { obstacle }: Waiting): ServiceReport {
  return { status: 'error', modulesReady: [], errors: [errorOf(service, env, obstacle)] }
}

function errorOf(service: Service['name'], env: Env, obstacle: StoreError | undefined): ModuleError {
  const root = rootOf(obstacle)
  const message = root === undefined ? 'The service is starting.' : obstacleSentence(root)
  switch (root?.name) {
    case 'DatabaseError': {
      const module = service === 'api-gateway' ? 'database' : 'permissions'
      return { error: 'DatabaseError', module, driver: 'postgres', message }
    }
    case 'BrokerError':
      return { error: 'BrokerError', module: 'broker', driver: schemeOf(env.BROKER_URL), message }
    case 'SearchError':
      return { error: 'SearchError', module: 'search', driver: schemeOf(env.SEARCH_URL), message }
    case 'CacheError':
      return { error: 'CacheError', module: 'cache', driver: schemeOf(env.CACHE_URL), message }
    default:
      return { error: 'ServiceUnavailable', module: service, driver: 'service', message }
  }
}

/** Drivers are called by the schemes of their addresses. */
const schemeOf = (url = 'postgres:'): string => url.slice(0, Math.max(0, url.indexOf(':')))
