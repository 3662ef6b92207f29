import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { principalKind, readIdentity, requireInternalKey } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import { correlationIdOf } from './correlation.ts'
import { refuseAmbiguous } from './guard.ts'
import { countRequest } from './metrics.ts'
import { sendFailure } from './reply.ts'
import { type RequestState, setRequestState } from './request-state.ts'

const DEFAULT_DEADLINE_MS = 60_000

/**
 * The front of a service behind the gateway: strict request, correlation id, internal key, forwarded identity; then `next`.
 * Health endpoints answer before it (see packages/service).
 */
export const serviceListener = (
  options: { service: string; internalApiKey: string; log: Logger },
  next: RequestListener,
): RequestListener => {
  const key = Buffer.from(options.internalApiKey)
  return (request, response) => {
    const state = startRequest(request, options.log)
    observe(options.service, request, response, state)
    try {
      refuseAmbiguous(request)
      requireInternalKey(request.headers[names.internalKey], key)
      state.principal = readIdentity(request.headers) ?? internalCaller(request)
    } catch (error) {
      sendFailure(response, error, options.log, state.correlationId)
      return
    }
    next(request, response)
  }
}

/** The gateway forwards callers without a credential too; it says so, else the platform itself is calling. */
const internalCaller = (request: IncomingMessage) =>
  request.headers[names.clientIp] === undefined ? ({ kind: 'internal' } as const) : undefined

function startRequest(request: IncomingMessage, log: Logger): RequestState {
  const { headers } = request
  const given = Number(headers[names.deadline])
  const now = Date.now()
  const state: RequestState = {
    correlationId: correlationIdOf(headers[names.correlationId], headers['traceparent']),
    clientIp: String(headers[names.clientIp] ?? request.socket.remoteAddress ?? ''),
    startedAt: now,
    log,
    principal: undefined,
    route: undefined,
    deadlineAt: Number.isFinite(given) && given > 0 ? given : now + DEFAULT_DEADLINE_MS,
  }
  setRequestState(request, state)
  return state
}

/** One line and one count for each answered request. */
export function observe(
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
  state: RequestState,
): void {
  response.once('finish', () => {
    const route = state.route ?? 'unknown'
    const principal = principalKind(state.principal)
    const ms = Date.now() - state.startedAt
    countRequest({ service, route, status: String(response.statusCode), principal }, ms / 1000)
    const level = service === 'api-gateway' ? 'info' : 'debug'
    if (!state.log.isLevelEnabled(level)) return
    const line = {
      service,
      method: request.method,
      route,
      status: response.statusCode,
      ms,
      correlationId: state.correlationId,
      principal,
    }
    state.log[level](line, 'request answered')
  })
}
