import type { BodyInputOf, Endpoint, ParamsOf, QueryInputOf } from '@platform/contracts'
import type { z } from 'zod'

type AnyEndpoint = Endpoint<string, z.ZodType, z.ZodType, z.ZodType>

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

/** What is sent. */
export interface PreparedCall {
  method: string
  /** Path and query. */
  target: string
  headers: Record<string, string>
  body: string | null
}

/** A value that no path can carry: it would reach another operation. */
export class PathParameterError extends Error {
  override readonly name = 'PathParameterError'
}

/** A call of an operation as its contract wants it. Throws PathParameterError. */
export function prepareCall<E extends AnyEndpoint>(contract: E, input: CallInput<E> = {}): PreparedCall {
  const { params = {}, query, body, headers, method } = input
  const usual = contract.method === 'all' ? (body === undefined ? 'get' : 'post') : contract.method
  return {
    method: (method ?? usual).toUpperCase(),
    target: fillPath(contract.path, params as Record<string, string>) + searchOf(query),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  }
}

/**
 * `/v2/x/:id/*rest` with its values, percent-encoded; slashes of a wildcard stay. Throws PathParameterError for a
 * value no path can carry.
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

/** Dots alone would be resolved as directories, also when percent-encoded. */
function segment(value: string, name: string): string {
  if (value === '.' || value === '..' || !value.isWellFormed())
    throw new PathParameterError(`The path parameter ${name} is not valid.`)
  return encodeURIComponent(value)
}

function searchOf(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    const items = [value].flat().filter((item) => item !== undefined)
    for (const item of items) search.append(name, String(item))
  }
  return search.size === 0 ? '' : `?${search}`
}
