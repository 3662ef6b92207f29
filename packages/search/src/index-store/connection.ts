import { Client, errors } from '@opensearch-project/opensearch'
import { SearchError, UNREACHABLE } from '../search.ts'
import type { IndexAddress } from './address.ts'
import { isAway, nameOf, reasonOf, type StoreRequest, type StoreResponse } from './store.ts'

export interface Connection extends AsyncDisposable {
  request<Body>(request: StoreRequest): Promise<StoreResponse<Body>>
}

/**
 * The only file that knows the vendor's client. Connects at the first request, so that a store that is down does not
 * keep the platform from opening. Every request has a deadline for the whole of it and is sent once: the caller knows
 * what may be sent again.
 */
export function connect({ nodes, credentials }: IndexAddress): Connection {
  const name = nodes.map((node) => new URL(node).host).join(',')
  const client = new Client({
    nodes,
    ...(credentials === undefined ? {} : { auth: credentials }),
    maxRetries: 0,
    // A payload may have any key. JSON.parse makes it a field of its own, never a prototype.
    disablePrototypePoisoningProtection: true,
  })
  const pending = new Set<PendingRequest>()
  return {
    request: async <Body>(request: StoreRequest) => {
      try {
        return (await send(client, pending, request)) as StoreResponse<Body>
      } catch (error) {
        return asResponse<Body>(error, name)
      }
    },
    async [Symbol.asyncDispose]() {
      // The client would wait for them, and they for a store that may not answer.
      for (const request of pending) request.abort()
      await Promise.allSettled(pending)
      await client.close()
    },
  }
}

type PendingRequest = ReturnType<Client['transport']['request']>

async function send(
  client: Client,
  pending: Set<PendingRequest>,
  { method, path, query, body, lines, timeoutMs }: StoreRequest,
) {
  const sent = client.transport.request(
    {
      method,
      path,
      ...(query === undefined ? {} : { querystring: query }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(lines === undefined ? {} : { bulkBody: `${lines.join('\n')}\n` }),
    },
    // The client's own time-out begins anew with each byte.
    { requestTimeout: timeoutMs },
  )
  pending.add(sent)
  const timer = setTimeout(() => sent.abort(), timeoutMs)
  try {
    const response = await sent
    return { status: response.statusCode ?? 0, body: response.body }
  } finally {
    clearTimeout(timer)
    pending.delete(sent)
  }
}

/** The response that stands in an error; any other error means that the store can't be asked now. */
function asResponse<Body>(error: unknown, name: string): StoreResponse<Body> {
  if (!(error instanceof errors.OpenSearchClientError)) throw error
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode ?? 500
    const isTooMuch = nameOf(error.body) === 'too_many_buckets_exception'
    if (!isAway(status) || isTooMuch) return { status, body: error.body as Body }
    throw new SearchError(`The search store at ${name} answers ${status}: ${reasonOf(error.body)}`, {
      cause: error,
      unavailable: true,
      code: nameOf(error.body) ?? String(status),
    })
  }
  const isLate = error instanceof errors.TimeoutError || error instanceof errors.RequestAbortedError
  const message = isLate
    ? `The search store at ${name} did not answer in time.`
    : `The search store at ${name} can’t be reached: ${error.message}`
  throw new SearchError(message, { cause: error, unavailable: true, code: isLate ? error.name : UNREACHABLE })
}
