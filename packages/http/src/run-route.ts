import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasScope, type Principal } from '@platform/auth'
import { limits, headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { hasBody, mediaTypeOf, readBody, requireMediaType } from './body.ts'
import { callerSignal } from './caller-signal.ts'
import { Answer, sendJson, sendRaw } from './reply.ts'
import { type RequestState, requestState } from './request-state.ts'
import type { AutomationText, RequestInfo, Route } from './route.ts'
import { decodeUtf8, parseStrictJson } from './strict-json.ts'
import { parseQuery, validate } from './validation.ts'

type Contract = Route['contract']

/** access → params → query → body → handler → answer: the fixed order of every route. */
export async function runRoute(
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
  rawParams: Record<string, string | string[]>,
): Promise<void> {
  const { contract } = route
  const state = requestState(request)
  const principal = route.access(state.principal)
  requireScope(contract, state.principal)

  const params = readParams(rawParams)
  const url = request.url ?? '/'
  const query = contract.query === undefined ? undefined : validate(contract.query, parseQuery(url), 'query')
  const body = await readContractBody(contract, request)

  const result = await route.handle({
    params,
    query,
    body,
    principal,
    request: requestInfo(request, response, state),
  })
  send(contract, response, result, state.correlationId)
}

function requireScope(contract: Contract, principal: Principal | undefined): void {
  if (contract.scope === undefined || principal === undefined || hasScope(principal, contract.scope)) return
  throw new Failure('InsufficientScope', `The token lacks the scope ${contract.scope}.`, {
    details: { scope: contract.scope },
  })
}

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

async function readContractBody(contract: Contract, request: IncomingMessage): Promise<unknown> {
  const limit = contract.bodyLimitBytes ?? limits.bodyBytes
  if (contract.bodyKind === 'bytes') return hasBody(request) ? readBody(request, limit) : Buffer.alloc(0)
  if (contract.bodyKind === 'automation') return readAutomation(request, limit)
  if (contract.body === undefined) return undefined
  if (!hasBody(request)) return validate(contract.body, undefined, 'body')
  requireMediaType(request, ['application/json'])
  const bytes = await readBody(request, limit)
  // A chunked body may turn out to be empty: nothing was sent then.
  return validate(contract.body, bytes.length === 0 ? undefined : parseStrictJson(bytes), 'body')
}

const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml']

async function readAutomation(request: IncomingMessage, limit: number): Promise<AutomationText> {
  requireMediaType(request, ['application/json', ...yamlTypes])
  const bytes = await readBody(request, limit)
  const mediaType = yamlTypes.includes(mediaTypeOf(request)) ? 'yaml' : 'json'
  return { text: decodeUtf8(bytes), mediaType }
}

function requestInfo(request: IncomingMessage, response: ServerResponse, state: RequestState): RequestInfo {
  let signal: AbortSignal | undefined
  return {
    correlationId: state.correlationId,
    clientIp: state.clientIp,
    log: state.log,
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    deadlineAt: state.deadlineAt,
    get signal() {
      signal ??= callerSignal(response, state.deadlineAt)
      return signal
    },
  }
}

/** Nothing is set on the response before the body has passed its schema: a failure must not carry the headers of a success. */
function send(contract: Contract, response: ServerResponse, result: unknown, correlationId: string): void {
  const wrapped = result instanceof Answer ? result : new Answer(result)
  const status = wrapped.status ?? contract.status ?? 200
  const body = bodyOf(contract, wrapped, status)
  if (response.destroyed) return
  response.setHeader(names.correlationId, correlationId)
  for (const [name, value] of Object.entries(wrapped.headers)) response.setHeader(name, value)
  if (wrapped.contentType === undefined) sendJson(response, status, body)
  else sendRaw(response, status, body, wrapped.contentType)
}

/** The contract's response schema is also the filter: a field it does not name never leaves. */
function bodyOf(contract: Contract, { body, contentType }: Answer, status: number): unknown {
  const isEmpty = body === undefined && (status === 204 || (status >= 300 && status < 400))
  return contentType !== undefined || isEmpty ? body : contract.response.parse(body)
}
