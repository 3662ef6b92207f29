import type { IncomingMessage, ServerResponse } from 'node:http'
import { admit, type Principal } from '@platform/auth'
import { limits } from '@platform/contracts'
import { Deadline, Failure } from '@platform/kernel'
import { hasBody, mediaTypeOf, readBody, requireMediaType } from './body.ts'
import { refuseTags } from './conditional.ts'
import { type RequestState, requestState } from './request-state.ts'
import { type PreparedResponse, prepare, sendPrepared } from './respond.ts'
import { respondOnce } from './respond-once.ts'
import type { AutomationText, RequestInfo, Route } from './route.ts'
import type { RouteServices } from './route-services.ts'
import { decodeUtf8, parseStrictJson } from './strict-json.ts'
import { noteReplay, type RequestContext, takeLimit, withLimits } from './take-limits.ts'
import { parseQuery, validate } from './validation.ts'

type Contract = Route['contract']

const nothing = Buffer.alloc(0)
const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml']

/**
 * access → params → query → limits → body → admission → handler → response: the fixed order of every route. A body
 * of bytes is read after the admission: it says nothing about who may send it, and may be large.
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
  const context: RequestContext = { services, request, response, params, isAdmitted: false, taken: [] }
  await withLimits(contract, context, () => runWithin(route, context, { params, query, principal }))
}

/** The rest of the order, for a caller who is within the limits. */
async function runWithin(
  route: Route,
  context: RequestContext,
  known: Pick<Parameters<Route['handle']>[0], 'params' | 'principal'> & { query: unknown },
): Promise<void> {
  const { contract } = route
  const { request, response, services } = context
  const state = requestState(request)
  const info = new RequestView(context, state)
  const input = { ...known, body: undefined as unknown, request: info, admitted: undefined as unknown }
  const isOfBytes = contract.bodyKind === 'bytes'
  if (isOfBytes) input.admitted = await admitTo(route, input, services)
  const readingSince = Date.now()
  const bytes = await readBytes(contract, request)
  // A client begins to wait when it has sent the last of the body.
  if (hasBody(request)) state.deadlineAt += Date.now() - readingSince
  input.body = parseBody(contract, request, bytes)
  if (!isOfBytes) input.admitted = await admitTo(route, input, services)
  context.isAdmitted = true
  const work = async (onceId?: string): Promise<PreparedResponse> =>
    prepare(contract, await route.handle({ ...input, onceId }))
  const findOutcome = async (onceId: string): Promise<PreparedResponse | undefined> => {
    const outcome = await route.findOutcome?.({ ...input, onceId })
    return outcome === undefined ? undefined : prepare(contract, outcome)
  }
  const store = services.idempotency
  const isKeyed = request.headers['idempotency-key'] !== undefined && isIdempotent(route, input.admitted)
  const prepared =
    isKeyed && store !== undefined
      ? await respondOnce({ contract, request, bytes, store, findOutcome }, work)
      : await work()
  if (prepared.isReplay === true) noteReplay(context)
  sendPrepared(contract, request, response, prepared, state.correlationId)
}

/** Asks the permission of the contract about the workspace of the path, or `admit` of the route without one. */
async function admitTo(
  { contract, admit: decide }: Route,
  input: Parameters<Route['handle']>[0],
  { permissions }: RouteServices,
): Promise<unknown> {
  const { permission } = contract
  if (permission === undefined) return await decide?.(input)
  if (permissions === undefined)
    throw new Error(`${contract.id} asks a permission, and nothing answers it in this service.`)
  const { workspaceId = '' } = input.params as { workspaceId?: string }
  const principal = input.principal as Principal | undefined
  return await permissions.require(principal, permission.action, {
    type: permission.on,
    workspace: workspaceId,
  })
}

const isIdempotent = ({ contract, isIdempotent: isDeclared }: Route, admitted: unknown): boolean =>
  contract.idempotent === 'declared' ? isDeclared?.(admitted) === true : contract.idempotent !== undefined

/** A resource without a tag can't have the one that If-Match names. */
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

/** The bytes of a body the contract has; empty without one. Throws UnsupportedMediaType, PayloadTooLarge. */
async function readBytes(contract: Contract, request: IncomingMessage): Promise<Buffer> {
  const limit = contract.bodyLimitBytes ?? limits.bodyBytes
  if (contract.bodyKind === 'bytes') return hasBody(request) ? readBody(request, limit) : nothing
  if (contract.bodyKind === 'automation') {
    requireMediaType(request, ['application/json', ...yamlTypes])
    return readBody(request, limit)
  }
  if (contract.body === undefined || !hasBody(request)) return nothing
  requireMediaType(request, ['application/json'])
  return readBody(request, limit)
}

/** The body as the handler gets it. Throws RequestValidationError with every problem. */
function parseBody(contract: Contract, request: IncomingMessage, bytes: Buffer): unknown {
  if (contract.bodyKind === 'bytes') return bytes
  if (contract.bodyKind === 'automation') {
    const mediaType = yamlTypes.includes(mediaTypeOf(request)) ? 'yaml' : 'json'
    return { text: decodeUtf8(bytes), mediaType } satisfies AutomationText
  }
  if (contract.body === undefined) return undefined
  // A chunked body may turn out to be empty: nothing was sent then.
  return validate(contract.body, bytes.length === 0 ? undefined : parseStrictJson(bytes), 'body')
}

/**
 * A class and not an object with getters: V8 makes a shape of its own for each of those, and through these shapes
 * each request would stay in memory until the next full collection. So it would through functions that are set in a
 * constructor (docs/adr/0084).
 */
class RequestView implements RequestInfo {
  readonly correlationId: string
  readonly clientIp: string
  readonly log: RequestInfo['log']
  readonly method: string
  readonly url: string
  readonly headers: RequestInfo['headers']
  readonly calling: RequestInfo['calling']
  /** Handlers pass these two on by themselves. */
  readonly setHeader: RequestInfo['setHeader'] = (name, value) =>
    void this.#context.response.setHeader(name, value)
  readonly takeLimit: RequestInfo['takeLimit'] = (name, key, points = 1) =>
    takeLimit(name, key, points, this.#context)
  readonly #context: RequestContext
  readonly #state: RequestState
  #made: { signal: AbortSignal; deadlineAt: number } | undefined

  constructor(context: RequestContext, state: RequestState) {
    const { request } = context
    this.correlationId = state.correlationId
    this.clientIp = state.clientIp
    this.log = state.log
    this.method = request.method ?? 'GET'
    this.url = request.url ?? '/'
    this.headers = request.headers
    this.calling = state.calling
    this.#context = context
    this.#state = state
  }

  get deadlineAt(): number {
    return this.#state.deadlineAt
  }

  get signal(): AbortSignal {
    const { deadlineAt } = this.#state
    if (this.#made?.deadlineAt !== deadlineAt)
      this.#made = { signal: callerSignal(this.#context.response, deadlineAt), deadlineAt }
    return this.#made.signal
  }
}

/**
 * Aborts when the response is of no use any more: the client is gone, or the deadline (Unix milliseconds) has passed.
 */
function callerSignal(response: ServerResponse, deadlineAt: number): AbortSignal {
  const deadline = new Deadline(Math.max(1, deadlineAt - Date.now()))
  const end = () => {
    if (response.writableEnded) deadline[Symbol.dispose]()
    else deadline.abort(new Failure('RequestTimeout', 'The client is gone.'))
  }
  if (response.destroyed) end()
  else response.once('close', end)
  return deadline.signal
}
