import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasScope, type Principal } from '@platform/auth'
import { limits, headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { hasBody, mediaTypeOf, readBody } from './body.ts'
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
    if (text.includes('\u0000') || !text.isWellFormed() || text.length > 2000) {
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
  return validate(contract.body, parseStrictJson(await readBody(request, limit)), 'body')
}

const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml']

async function readAutomation(request: IncomingMessage, limit: number): Promise<AutomationText> {
  requireMediaType(request, ['application/json', ...yamlTypes])
  const bytes = await readBody(request, limit)
  const mediaType = yamlTypes.includes(mediaTypeOf(request)) ? 'yaml' : 'json'
  if (mediaType === 'json') parseStrictJson(bytes)
  return { text: decodeUtf8(bytes), mediaType }
}

function requireMediaType(request: IncomingMessage, accepted: string[]): void {
  const given = mediaTypeOf(request)
  if (accepted.includes(given)) return
  const message = `The Content-Type is ${given === '' ? 'missing' : `"${given.slice(0, 100)}"`}: send ${accepted[0]}.`
  throw new Failure('UnsupportedMediaType', message, { details: { accepted } })
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

function callerSignal(response: ServerResponse, deadlineAt: number): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) gone.abort(new Failure('RequestTimeout', 'The client is gone.'))
  })
  return AbortSignal.any([gone.signal, AbortSignal.timeout(Math.max(1, deadlineAt - Date.now()))])
}

/** The contract's response schema is also the filter: a field it does not name never leaves. */
function send(contract: Contract, response: ServerResponse, result: unknown, correlationId: string): void {
  const wrapped = result instanceof Answer ? result : undefined
  const status = wrapped?.status ?? contract.status ?? 200
  response.setHeader(names.correlationId, correlationId)
  for (const [name, value] of Object.entries(wrapped?.headers ?? {})) response.setHeader(name, value)
  const body = wrapped === undefined ? result : wrapped.body
  if (wrapped?.contentType !== undefined) sendRaw(response, status, body, wrapped.contentType)
  else sendJson(response, status, contract.response.parse(body))
}
