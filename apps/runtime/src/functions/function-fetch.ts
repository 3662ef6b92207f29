import { randomBytes } from 'node:crypto'
import type { GuardedFetch, GuardedRequest } from '@platform/custom-code'
import { concealedResponse, textOfBody } from '@platform/function-calls'
import type { FunctionPlace } from '../automations/model.ts'
import type { FetchRequest } from '../fetches/fetch-request.ts'
import type { Fetches } from '../fetches/fetches.ts'
import { tracedFetch } from '../fetches/traced-fetch.ts'
import type { Revealed } from '../modules/secrets/reveal.ts'

/** For whom a function calls the outside. */
export interface FunctionFetch {
  readonly fetches: Pick<Fetches, 'settings'>
  readonly functions: Pick<FunctionPlace, 'mayFetch' | 'exchange'>
  readonly workspaceId: string
  readonly correlationId: string
  /** Of the call of the function: each fetch of it has one made of this, the same when the function is called again. */
  readonly key: string
  /** Puts the values of secrets in, where there may be any. */
  readonly reveal?: (request: FetchRequest) => Promise<Revealed>
}

/** What `fetch` is inside a function: the guarded calls of automations, with their limits. */
export function functionFetch(given: FunctionFetch): GuardedFetch {
  let count = 0
  return async (address, request) => {
    count += 1
    const number = count
    await given.functions.mayFetch(given.workspaceId, request.signal)
    const headers = headersOf(request, given, number)
    return await tracedFetch(request.method, given.correlationId, (traceparent) => {
      if (!headers.has('traceparent')) headers.set('traceparent', traceparent)
      return given.reveal === undefined
        ? send(given, address, { ...request, headers })
        : sendWithSecrets(given, given.reveal, address, { ...request, headers })
    })
  }
}

function headersOf(
  { headers: written }: GuardedRequest,
  { fetches, key }: FunctionFetch,
  number: number,
): Headers {
  const headers = new Headers(written)
  if (!headers.has('user-agent')) headers.set('user-agent', fetches.settings.userAgent)
  if (!headers.has('idempotency-key')) headers.set('idempotency-key', `${key}-${number}`)
  return headers
}

type Request = Omit<GuardedRequest, 'headers'> & { readonly headers: Headers }

const send = (
  { functions, workspaceId }: FunctionFetch,
  url: string | URL,
  { signal, ...init }: Request,
): Promise<Response> => functions.exchange(url, { ...init, signal }, { workspaceId, signal })

/** The values are in what leaves and in nothing else: an answer that repeats one has its reference again. */
async function sendWithSecrets(
  given: FunctionFetch,
  reveal: NonNullable<FunctionFetch['reveal']>,
  address: string,
  request: Request,
): Promise<Response> {
  const url = URL.parse(address)
  const text = textOfBody(request.body)
  if (url === null || text === undefined) return await send(given, address, request)
  const asked: FetchRequest = {
    url,
    method: request.method,
    headers: request.headers,
    body: text === '' ? undefined : text,
    takesAnyCertificate: false,
    timeoutMs: given.fetches.settings.maxTimeoutMs,
    maxRedirects: 0,
  }
  const { sent, conceal } = await reveal(asked)
  if (sent === asked) return await send(given, address, request)
  if ('error' in sent) throw new Error(sent.error.message)
  const body = sent.body === undefined ? {} : { body: Buffer.from(sent.body) as Uint8Array<ArrayBuffer> }
  return await concealedResponse(
    await send(given, sent.url, { ...request, ...body, headers: sent.headers }),
    conceal,
  )
}

/** A key for calls that are never done again. */
export const newKey = (): string => randomBytes(16).toString('hex')
