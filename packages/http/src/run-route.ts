import type { IncomingMessage, ServerResponse } from 'node:http'
import { admit } from '@platform/auth'
import { Failure } from '@platform/kernel'
import { answerOnce } from './answer-once.ts'
import { callerSignal } from './caller-signal.ts'
import { refuseTags } from './conditional.ts'
import { parseContractBody, readContractBytes } from './contract-body.ts'
import { type Prepared, prepare, sendPrepared } from './prepared.ts'
import { type RequestState, requestState } from './request-state.ts'
import type { RequestInfo, Route } from './route.ts'
import type { RouteServices } from './route-services.ts'
import { type LimitedVisit, noteReplay, takeLimit, withLimits } from './take-limits.ts'
import { parseQuery, validate } from './validation.ts'

type Contract = Route['contract']

/**
 * access → params → query → limits → body → admission → handler → answer: the fixed order of every route. Bytes come
 * after the admission: they say nothing about who may send them, and may be many.
 */
export async function runRoute(
  route: Route,
  services: RouteServices,
  request: IncomingMessage,
  response: ServerResponse,
  rawParams: Record<string, string | string[]>,
): Promise<void> {
  const { contract } = route
  const state = requestState(request)
  const principal = admit(contract, state.principal)

  const params = readParams(rawParams)
  const url = request.url ?? '/'
  const query = contract.query === undefined ? undefined : validate(contract.query, parseQuery(url), 'query')
  if (changesByMethod(contract)) refuseTags(request.headers)
  const visit: LimitedVisit = { services, request, response, params, isAdmitted: false, taken: [] }
  await withLimits(contract, visit, () => runWithin(route, visit, { params, query, principal }))
}

/** What is left when the caller is within the limits. */
async function runWithin(
  route: Route,
  visit: LimitedVisit,
  known: Pick<Parameters<Route['handle']>[0], 'params' | 'principal'> & { query: unknown },
): Promise<void> {
  const { contract } = route
  const { request, response, services } = visit
  const state = requestState(request)
  const info = requestInfo(visit, state)
  const input = { ...known, body: undefined as unknown, request: info, admitted: undefined as unknown }
  const isOfBytes = contract.bodyKind === 'bytes'
  if (isOfBytes) input.admitted = await route.admit?.(input)
  const readingSince = Date.now()
  const bytes = await readContractBytes(contract, request)
  // Whoever waits for the answer began to when the last of the body was sent.
  state.deadlineAt += Date.now() - readingSince
  input.body = parseContractBody(contract, request, bytes)
  if (!isOfBytes) input.admitted = await route.admit?.(input)
  visit.isAdmitted = true
  const work = async (): Promise<Prepared> => prepare(contract, await route.handle(input))
  const store = services.idempotency
  const isKeyed = request.headers['idempotency-key'] !== undefined && isIdempotent(route, input.admitted)
  const prepared =
    isKeyed && store !== undefined
      ? await answerOnce({ contract, request, bytes, store }, work)
      : await work()
  if (prepared.isReplay === true) noteReplay(visit)
  sendPrepared(contract, request, response, prepared, state.correlationId)
}

const isIdempotent = ({ contract, isIdempotent: isDeclared }: Route, admitted: unknown): boolean =>
  contract.idempotent === 'declared' ? isDeclared?.(admitted) === true : contract.idempotent !== undefined

/** Of what has no tag, nobody can have read the one that If-Match names. */
const changesByMethod = ({ method, etag }: Contract): boolean =>
  etag !== true && (method === 'patch' || method === 'put' || method === 'delete')

/** A wildcard arrives as its segments; the contract knows it as one text. */
function readParams(raw: Record<string, string | string[]>): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(raw)) {
    const text = Array.isArray(value) ? value.join('/') : value
    if (text.includes('\u0000') || text.length > 2000) {
      throw new Failure('RequestValidationError', `The path parameter ${name} is not valid.`)
    }
    params[name] = text
  }
  return params
}

function requestInfo(visit: LimitedVisit, state: RequestState): RequestInfo {
  const { request, response } = visit
  let made: { signal: AbortSignal; deadlineAt: number } | undefined
  return {
    correlationId: state.correlationId,
    clientIp: state.clientIp,
    log: state.log,
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    get deadlineAt() {
      return state.deadlineAt
    },
    takeLimit: (name, key, points = 1) => takeLimit(name, key, points, visit),
    get signal() {
      const { deadlineAt } = state
      if (made?.deadlineAt !== deadlineAt) made = { signal: callerSignal(response, deadlineAt), deadlineAt }
      return made.signal
    },
  }
}
