import type { BodyInputOf, Endpoint, ParamsOf, QueryInputOf, ResponseOf } from '@platform/contracts'
import { Failure, type FailureBody, isFailureName } from '@platform/kernel'
import { Agent, request as send } from 'undici'
import type { z } from 'zod'

type AnyEndpoint = Endpoint<string, z.ZodType, z.ZodType, z.ZodType>

/** Arguments of one call; what the contract does not have is left out. */
export interface CallInput<E> {
  params?: ParamsOf<E>
  query?: QueryInputOf<E>
  body?: BodyInputOf<E>
  headers?: Record<string, string>
  /** Last part of the path for contracts with a wildcard verb, and the verb itself. */
  method?: string
  signal?: AbortSignal
}

/** Calls operations by their contract. Rejects with the Failure the server answered. */
export type Client = <E extends AnyEndpoint>(contract: E, input?: CallInput<E>) => Promise<ResponseOf<E>>

const agent = new Agent({
  connect: { timeout: 1000 },
  keepAliveTimeout: 30_000,
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
})

/** A typed client of the API. `headers` go with every call, for example the credential. */
export const createClient =
  (baseUrl: string, headers: Record<string, string> = {}, timeoutMs = 30_000): Client =>
  async (contract, input = {}) => {
    const url =
      baseUrl.replace(/\/$/, '') +
      fillPath(contract.path, (input.params ?? {}) as Record<string, string>) +
      queryOf(input.query)
    const response = await send(url, {
      dispatcher: agent,
      method: (input.method ?? contract.method).toUpperCase() as 'GET',
      headers: {
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...input.headers,
      },
      body: input.body === undefined ? null : JSON.stringify(input.body),
      signal: input.signal ?? AbortSignal.timeout(timeoutMs),
    })
    const text = await response.body.text()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    if (response.statusCode >= 400) throw failureOf(response.statusCode, body)
    return body as never
  }

/** `/v2/x/:id/*rest` with its values, percent-encoded; slashes of a wildcard stay. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path
    .replace(/\*(\w+)/g, (_, name: string) =>
      (params[name] ?? '').split('/').map(encodeURIComponent).join('/'),
    )
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function queryOf(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    const items = [value].flat().filter((item) => item !== undefined)
    for (const item of items) search.append(name, String(item))
  }
  return search.size === 0 ? '' : `?${search}`
}

function failureOf(status: number, body: unknown): Error {
  const { error, message, details } = (body ?? {}) as Partial<FailureBody>
  if (error === undefined || !isFailureName(error))
    return new Error(`The server answered ${status} without a known error.`)
  return new Failure(error, message ?? '', { details })
}
