import type { IncomingMessage, RequestListener } from 'node:http'
import { readCallingRun, readIdentity, requireInternalKey } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { HOUR_MS, STORE_BUDGET_MS, StoreBudget, withStoreBudget } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { tracer } from '@platform/tracing'
import { correlationIdOf } from './correlation.ts'
import { refuseAmbiguous } from './guard.ts'
import { requestObserver } from './observe-requests.ts'
import { type RequestState, setRequestState } from './request-state.ts'
import { sendFailure } from './respond.ts'

const DEFAULT_DEADLINE_MS = 60_000

/**
 * The front of a service behind the gateway: strict request, correlation id, internal key, forwarded identity; then
 * `next`. Health endpoints answer before it (see packages/service).
 */
export const serviceListener = (
  options: { service: string; internalApiKey: string; log: Logger },
  next: RequestListener,
): RequestListener => {
  const key = Buffer.from(options.internalApiKey)
  const observe = requestObserver(options.service, options.log)
  return (request, response) => {
    const state = startRequest(request, options.log)
    const span = observe(request, response, state)
    try {
      refuseAmbiguous(request, response)
      requireInternalKey(givenKey(request), key)
      state.principal = readIdentity(request.headers) ?? internalCaller(request)
      state.calling = readCallingRun(request.headers)
    } catch (error) {
      sendFailure(response, error, options.log, state.correlationId)
      return
    }
    withStoreBudget(budgetOf(request.headers[names.storeBudget]), () => {
      if (span === undefined || tracer === undefined) next(request, response)
      else tracer.within(span, () => next(request, response))
    })
  }
}

/**
 * Operators and scheduled jobs may send the key as they do at the gateway, which forwards nothing under `/sys`.
 */
const givenKey = ({ url, headers }: IncomingMessage) =>
  headers[names.internalKey] ?? (url?.startsWith('/sys/') ? headers[names.apiKey] : undefined)

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

/** The gateway says what is left of the budget when some of it is spent. */
function budgetOf(given: string | string[] | undefined): StoreBudget {
  const leftMs = given === undefined ? STORE_BUDGET_MS : Number(given)
  return new StoreBudget(leftMs >= 0 ? Math.min(leftMs, STORE_BUDGET_MS) : STORE_BUDGET_MS)
}

/** At most an hour ahead: a timer can't wait for what a broken header may say. */
function deadlineOf(given: string | string[] | undefined, now: number): number {
  const deadlineAt = Number(given)
  return deadlineAt > 0 ? Math.min(deadlineAt, now + HOUR_MS) : now + DEFAULT_DEADLINE_MS
}
