import type { IncomingMessage, RequestListener } from 'node:http'
import { isInternalKey } from '@platform/auth'
import type { Env } from '@platform/config'
import { type ModuleError, headers as names, type ServiceReport } from '@platform/contracts'
import { correlationIdOf, refuseAmbiguous, sendFailure, sendJson } from '@platform/http'
import { Failure, type StoreError } from '@platform/kernel'
import { configOf } from './health.ts'
import type { Waiting } from './retry-until-available.ts'
import type { Service, ServiceContext } from './service.ts'
import { obstacleSentence, rootOf } from './store-notices.ts'

type StartingResponse = [status: number, body: object]

/**
 * Answers for a service that is still being built, for example because PostgreSQL is down: the process is alive and
 * not ready. GET / of the gateway touches no dependency, so it works already; so does the readiness report, for the
 * internal key, and names the store that is waited for.
 */
export function startingListener(
  service: Service['name'],
  env: Env,
  { version, log, settings }: Pick<ServiceContext, 'version' | 'log' | 'settings'>,
  waiting: Waiting,
): RequestListener {
  const responses = responsesOf(service, env, { version, settings }, waiting)
  return (request, response) => {
    const { headers, method, url = '/' } = request
    const correlationId = correlationIdOf(headers[names.correlationId], headers.traceparent)
    const find = method === 'GET' || method === 'HEAD' ? responses.get(url.split('?', 1)[0] ?? '') : undefined
    try {
      refuseAmbiguous(request, response)
      const found = find?.(request)
      if (found === undefined) throw notYet()
      response.setHeader(names.correlationId, correlationId)
      sendJson(response, ...found)
    } catch (error) {
      sendFailure(response, error, log, correlationId)
    }
  }
}

function responsesOf(
  service: Service['name'],
  env: Env,
  { version, settings }: Pick<ServiceContext, 'version' | 'settings'>,
  waiting: Waiting,
) {
  const key = Buffer.from(env.INTERNAL_API_KEY ?? '')
  const isPlatform = ({ headers }: IncomingMessage) =>
    key.length > 0 && isInternalKey(headers[names.internalKey] ?? headers[names.apiKey], key)
  const report = () => startingReport(service, env, waiting)
  const responses = new Map<string, (request: IncomingMessage) => StartingResponse | undefined>([
    ['/sys/livez', () => [200, { status: 'ok' }]],
    ['/sys/readyz', () => [503, { status: 'starting' }]],
    ['/sys/readiness', (request) => (isPlatform(request) ? [200, report()] : undefined)],
    ['/sys/config', (request) => (isPlatform(request) ? [200, configOf(settings)] : undefined)],
  ])
  if (service !== 'api-gateway') return responses
  responses.set('/', () => [200, { status: 'ok', name: service, version }])
  responses.set('/v2/readiness', (request) =>
    isPlatform(request) ? [400, { status: 'error', services: { [service]: report() } }] : undefined,
  )
  return responses
}

const notYet = () =>
  new Failure('ServiceUnavailable', 'The service is starting: try again shortly.', { retryAfterSeconds: 1 })

/** The report of a service that is not built yet: an operator sees which store it waits for. */
function startingReport(service: Service['name'], env: Env, { obstacle }: Waiting): ServiceReport {
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
