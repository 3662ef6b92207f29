import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { principalKind, readIdentity, requireInternalKey } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { HOUR_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { correlationIdOf } from './correlation.ts'
import { refuseAmbiguous } from './guard.ts'
import { countRequest } from './metrics.ts'
import { sendFailure } from './reply.ts'
import { type RequestState, setRequestState } from './request-state.ts'

const DEFAULT_DEADLINE_MS = 60_000
/** What is logged and counted for a client that left before its answer; never sent. */
const CLIENT_GONE = 499

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
  const now = Date.now()
  const state: RequestState = {
    correlationId: correlationIdOf(headers[names.correlationId], headers.traceparent),
    clientIp: String(headers[names.clientIp] ?? request.socket.remoteAddress ?? ''),
    startedAt: now,
    log,
    principal: undefined,
    route: undefined,
    deadlineAt: deadlineOf(headers[names.deadline], now),
  }
  setRequestState(request, state)
  return state
}

/** At most an hour ahead: a timer can't wait for what a broken header may say. */
function deadlineOf(given: string | string[] | undefined, now: number): number {
  const deadlineAt = Number(given)
  return deadlineAt > 0 ? Math.min(deadlineAt, now + HOUR_MS) : now + DEFAULT_DEADLINE_MS
}

/** One line and one count for each request that was answered, or whose client left before. Of the path only the route's pattern is told. */
export function observe(
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
  state: RequestState,
): void {
  response.once('close', () => {
    const route = state.route ?? 'unknown'
    const principal = principalKind(state.principal)
    const status = response.writableFinished ? response.statusCode : CLIENT_GONE
    const ms = Date.now() - state.startedAt
    countRequest({ service, route, status: String(status), principal }, ms / 1000)
    const level = service === 'api-gateway' ? 'info' : 'debug'
    if (!state.log.isLevelEnabled(level)) return
    const { correlationId } = state
    const line = { service, method: request.method, route, status, ms, correlationId, principal }
    state.log[level](line, 'request answered')
  })
}
