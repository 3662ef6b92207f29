import type { IncomingMessage, RequestListener } from 'node:http'
import { isInternalKey } from '@platform/auth'
import type { Env } from '@platform/config'
import { headers as names } from '@platform/contracts'
import { correlationIdOf, refuseAmbiguous, sendFailure, sendJson } from '@platform/http'
import { Failure } from '@platform/kernel'
import { configOf } from './health.ts'
import type { Service, ServiceContext } from './service.ts'
import { startingReport, type Waiting } from './starting-report.ts'

type Answer = [status: number, body: object]

/**
 * Answers for a service that is still being built, for example because PostgreSQL is down: the process is alive and
 * not ready. The gateway's GET / touches no dependency (decisions A11), so it works already; so does the readiness
 * report, for the internal key, and names what is waited for.
 */
export function startingListener(
  service: Service['name'],
  env: Env,
  { version, log, settings }: Pick<ServiceContext, 'version' | 'log' | 'settings'>,
  waiting: Waiting,
): RequestListener {
  const answers = answersOf(service, env, { version, settings }, waiting)
  return (request, response) => {
    const { headers, method, url = '/' } = request
    const correlationId = correlationIdOf(headers[names.correlationId], headers.traceparent)
    const find = method === 'GET' || method === 'HEAD' ? answers.get(url.split('?', 1)[0] ?? '') : undefined
    try {
      refuseAmbiguous(request, response)
      const answer = find?.(request)
      if (answer === undefined) throw notYet()
      response.setHeader(names.correlationId, correlationId)
      sendJson(response, ...answer)
    } catch (error) {
      sendFailure(response, error, log, correlationId)
    }
  }
}

function answersOf(
  service: Service['name'],
  env: Env,
  { version, settings }: Pick<ServiceContext, 'version' | 'settings'>,
  waiting: Waiting,
) {
  const key = Buffer.from(env.INTERNAL_API_KEY ?? '')
  const isPlatform = ({ headers }: IncomingMessage) =>
    key.length > 0 && isInternalKey(headers[names.internalKey] ?? headers[names.apiKey], key)
  const report = () => startingReport(service, env, waiting)
  const answers = new Map<string, (request: IncomingMessage) => Answer | undefined>([
    ['/sys/livez', () => [200, { status: 'ok' }]],
    ['/sys/readyz', () => [503, { status: 'starting' }]],
    ['/sys/readiness', (request) => (isPlatform(request) ? [200, report()] : undefined)],
    ['/sys/config', (request) => (isPlatform(request) ? [200, configOf(settings)] : undefined)],
  ])
  if (service !== 'api-gateway') return answers
  answers.set('/', () => [200, { status: 'ok', name: service, version }])
  answers.set('/v2/readiness', (request) =>
    isPlatform(request) ? [400, { status: 'error', services: { [service]: report() } }] : undefined,
  )
  return answers
}

const notYet = () =>
  new Failure('ServiceUnavailable', 'The service is starting: try again shortly.', { retryAfterSeconds: 1 })
