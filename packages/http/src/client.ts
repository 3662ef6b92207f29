import type { BodyInputOf, ParamsOf, QueryInputOf, ResponseOf } from '@platform/contracts'
import { headers as names } from '@platform/contracts'
import { Failure, type FailureBody, isFailureName, STORE_BUDGET_MS, storeBudget } from '@platform/kernel'
import { tracer } from '@platform/tracing'
import { Agent, type Dispatcher, request as send } from 'undici'
import type { AnyEndpoint } from './respond.ts'

/** Arguments of one call; what the contract does not have is left out. */
export interface CallInput<E> {
  params?: ParamsOf<E>
  query?: QueryInputOf<E>
  body?: BodyInputOf<E>
  headers?: Record<string, string>
  /** The verb, for contracts that take any. */
  method?: string
  signal?: AbortSignal
}

/**
 * Calls operations by their contract. Rejects with the Failure the server answered; with ServiceUnavailable when
 * nothing answers at the address, with GatewayTimeout when the answer does not come in time.
 */
export type Client = <E extends AnyEndpoint>(contract: E, input?: CallInput<E>) => Promise<ResponseOf<E>>

const agent = new Agent({
  connect: { timeout: 1000 },
  keepAliveTimeout: 30_000,
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
})

/** A typed client of the API. `headers` go with every call, for example the credential. */
export const createClient = (
  baseUrl: string,
  headers: Record<string, string> = {},
  timeoutMs = 30_000,
): Client => {
  const base = baseUrl.replace(/\/$/, '')
  return async (contract, input = {}) => {
    const path = fillPath(contract.path, (input.params ?? {}) as Record<string, string>)
    const deadline = AbortSignal.timeout(timeoutMs)
    const {
      statusCode,
      headers: answered,
      text,
    } = await exchange(base + path + queryOf(input.query), {
      dispatcher: agent,
      method: methodOf(contract, input),
      headers: { ...typeOf(input.body), ...budgetLeft(), ...headers, ...input.headers },
      body: input.body === undefined ? null : JSON.stringify(input.body),
      signal: input.signal === undefined ? deadline : AbortSignal.any([input.signal, deadline]),
    })
    const body = parse(text)
    if (statusCode >= 400) throw failureOf(statusCode, body, answered['retry-after'])
    if (text !== '' && body === undefined)
      throw new Error(`The server answered ${statusCode} with something that is no JSON.`)
    return body as never
  }
}

type Options = Parameters<typeof send>[1]

/** One call, as a part of the trace it belongs to. */
async function exchange(url: string, options: Options & { headers: Record<string, string> }) {
  const span = tracer?.beginPart({ name: `${options.method}`, kind: 'client' })
  if (tracer === undefined || span === undefined) return sendOnce(url, options)
  const headers = { ...options.headers, traceparent: span.traceparent }
  return tracer.finish(span, () => sendOnce(url, { ...options, headers }))
}

async function sendOnce(url: string, options: Options) {
  try {
    const { statusCode, headers, body } = await send(url, options)
    return { statusCode, headers, text: await body.text() }
  } catch (error) {
    throw unanswered(url, error)
  }
}

/** The caller's own reason to stop stays as it is. The message is public, so the address is only in the cause. */
function unanswered(url: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError' || error instanceof Failure) return error
  if (error.name === 'TimeoutError' || /TIMEOUT/.test(String((error as { code?: unknown }).code ?? '')))
    return new Failure('GatewayTimeout', 'A service did not answer in time.', { cause: error })
  const cause = new Error(`Nothing answers at ${new URL(url).origin}.`, { cause: error })
  return new Failure('ServiceUnavailable', 'A service does not answer: try again shortly.', { cause })
}

/** What a request has spent of its budget is spent for whom it asks, too. */
function budgetLeft(): Record<string, string> {
  const leftMs = storeBudget()?.leftMs ?? STORE_BUDGET_MS
  return leftMs < STORE_BUDGET_MS ? { [names.storeBudget]: String(Math.floor(leftMs)) } : {}
}

const typeOf = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json' }

function methodOf(contract: AnyEndpoint, { method, body }: CallInput<AnyEndpoint>): Dispatcher.HttpMethod {
  const any = body === undefined ? 'get' : 'post'
  return (
    method ?? (contract.method === 'all' ? any : contract.method)
  ).toUpperCase() as Dispatcher.HttpMethod
}

/**
 * `/v2/x/:id/*rest` with its values, percent-encoded; slashes of a wildcard stay. Throws for a value no path can
 * carry.
 */
export function fillPath(path: string, params: Record<string, string>): string {
  const valueFor = (name: string): string => {
    const value = params[name]
    if (value === undefined) throw new Error(`The path ${path} needs the parameter ${name}.`)
    return value
  }
  return path
    .replace(/\*(\w+)/g, (_, name: string) =>
      valueFor(name)
        .split('/')
        .map((part) => segment(part, name))
        .join('/'),
    )
    .replace(/:(\w+)/g, (_, name: string) => segment(valueFor(name), name))
}

/** Dots alone would be resolved as directories, also when percent-encoded: the call would reach another operation. */
function segment(value: string, name: string): string {
  if (value === '.' || value === '..' || !value.isWellFormed())
    throw new Failure('RequestValidationError', `The path parameter ${name} is not valid.`)
  return encodeURIComponent(value)
}

function queryOf(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    const items = [value].flat().filter((item) => item !== undefined)
    for (const item of items) search.append(name, String(item))
  }
  return search.size === 0 ? '' : `?${search}`
}

/** Undefined for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureOf(status: number, body: unknown, retryAfter: string | string[] | undefined): Error {
  const { error, message, details } = (body ?? {}) as Partial<FailureBody>
  if (error === undefined || !isFailureName(error))
    return new Error(`The server answered ${status} without a known error.`)
  const seconds = Number(retryAfter)
  return new Failure(error, message ?? '', {
    details,
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  })
}
