import type { RequestListener } from 'node:http'
import { headers as names } from '@platform/contracts'
import { correlationIdOf, sendFailure, sendJson } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Service } from './service.ts'

/**
 * Answers for a service that is still being built, for example because PostgreSQL is down: the process is alive and not ready. The
 * gateway's GET / touches no dependency (decisions A11), so it works already.
 */
export function startingListener(service: Service['name'], version: string, log: Logger): RequestListener {
  const answers: Record<string, [status: number, body: object]> = {
    '/sys/livez': [200, { status: 'ok' }],
    '/sys/readyz': [503, { status: 'starting' }],
    ...(service === 'api-gateway' ? { '/': [200, { status: 'ok', name: service, version }] } : {}),
  }
  return (request, response) => {
    const { headers, method, url = '/' } = request
    const correlationId = correlationIdOf(headers[names.correlationId], headers.traceparent)
    const answer = method === 'GET' || method === 'HEAD' ? answers[url.split('?', 1)[0] ?? ''] : undefined
    if (answer === undefined) {
      const message = 'The service is starting: try again shortly.'
      sendFailure(
        response,
        new Failure('ServiceUnavailable', message, { retryAfterSeconds: 1 }),
        log,
        correlationId,
      )
      return
    }
    response.setHeader(names.correlationId, correlationId)
    sendJson(response, ...answer)
  }
}
