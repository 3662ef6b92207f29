import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isInternalKey } from '@platform/auth'
import { headers as names, type ServiceReport } from '@platform/contracts'
import { registry, sendJson } from '@platform/http'
import { Failure } from '@platform/kernel'

/** Whether the service may be sent requests; turns false as soon as it starts to stop. */
export interface Health {
  ready: boolean
}

/**
 * Answers /sys/livez, /sys/readyz, /sys/readiness and /metrics in front of a service (decisions A11, C12); the last two need the
 * internal key. Everything else is `next`'s.
 */
export function healthListener(
  options: { health: Health; internalApiKey: string; report: () => Promise<ServiceReport> },
  next: RequestListener,
): RequestListener {
  const key = Buffer.from(options.internalApiKey)
  const answers: Record<
    string,
    (request: IncomingMessage, response: ServerResponse) => Promise<void> | void
  > = {
    '/sys/livez': (_, response) => sendJson(response, 200, { status: 'ok' }),
    '/sys/readyz': (_, response) => {
      if (options.health.ready) sendJson(response, 200, { status: 'ready' })
      else sendJson(response, 503, { status: 'draining' })
    },
    '/sys/readiness': guarded(key, async (response) => sendJson(response, 200, await options.report())),
    '/metrics': guarded(key, async (response) => {
      response.setHeader('content-type', registry.contentType)
      response.end(await registry.metrics())
    }),
  }
  return (request, response) => {
    const handle = request.method === 'GET' ? answers[pathOf(request.url ?? '/')] : undefined
    if (handle === undefined) return next(request, response)
    Promise.resolve(handle(request, response)).catch(() => response.destroy())
  }
}

const pathOf = (url: string): string => {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

const guarded =
  (key: Buffer, answer: (response: ServerResponse) => Promise<void>) =>
  async (request: IncomingMessage, response: ServerResponse) => {
    const given = request.headers[names.internalKey] ?? request.headers[names.apiKey]
    if (isInternalKey(given, key)) return answer(response)
    sendJson(
      response,
      401,
      new Failure('AuthenticationError', 'Send the internal key in x-platform-internal-key.'),
    )
  }
