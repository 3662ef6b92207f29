import { type Dispatcher, fetch, Headers, type Response as Received, type RequestInit } from 'undici'
import { type Outbound, type OutboundInit, OutboundRefused, requireCallable } from './outbound.ts'

interface Needs {
  dispatcher: Dispatcher
  timeoutMs: number
  maxResponseBytes: number
  maxRedirects: number
}

/**
 * `fetch` over a guarded dispatcher. Redirects are followed here, so that each of them is checked like the first
 * address.
 */
export const guardedFetch =
  (needs: Needs): Outbound['fetch'] =>
  async (input, init) => {
    const first = await requestOf(input, init)
    const deadline = AbortSignal.timeout(needs.timeoutMs)
    const given = first.init.signal
    const signal = given == null ? deadline : AbortSignal.any([deadline, given])
    const maxRedirects = init?.maxRedirects ?? needs.maxRedirects
    const response = await followed({ ...first, init: { ...first.init, signal } }, { ...needs, maxRedirects })
    const isHead = first.init.method?.toUpperCase() === 'HEAD'
    return cappedResponse(response, isHead ? Number.POSITIVE_INFINITY : needs.maxResponseBytes)
  }

async function followed(first: NextRequest, needs: Needs): Promise<Received> {
  const mode = first.init.redirect ?? 'follow'
  let request = first
  for (let hops = 0; ; hops += 1) {
    requireCallable(request.url)
    const response = await call(request, needs.dispatcher)
    const next = mode === 'follow' ? redirected(request, response) : undefined
    if (next === undefined) return response
    await response.body?.cancel()
    if (hops === needs.maxRedirects)
      throw new OutboundRefused(`${first.url.host} redirects more than ${needs.maxRedirects} times.`)
    request = next
  }
}

async function call({ url, init }: NextRequest, dispatcher: Dispatcher): Promise<Received> {
  const redirect = init.redirect === 'error' ? 'error' : 'manual'
  try {
    return await fetch(url, { ...init, redirect, dispatcher })
  } catch (error) {
    throw refusalIn(error) ?? error
  }
}

/** fetch wraps what went wrong below it in a TypeError. */
function refusalIn(error: unknown): OutboundRefused | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof OutboundRefused) return cause
  return undefined
}

async function requestOf(
  input: string | URL | Request,
  { maxRedirects: _, ...init }: OutboundInit = {},
): Promise<NextRequest> {
  if (typeof input === 'string' || input instanceof URL)
    return { url: parsedUrl(String(input)), init: init as unknown as RequestInit }
  const body = input.body === null ? {} : { body: await input.arrayBuffer() }
  const { method, headers, redirect, signal } = input
  const own = { method, headers: Object.fromEntries(headers), redirect, signal, ...body }
  return { url: parsedUrl(input.url), init: { ...own, ...init } as unknown as RequestInit }
}

function parsedUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null)
    throw new OutboundRefused('This is no absolute address: give one that begins with https://.')
  return url
}

/** One call of a chain. */
interface NextRequest {
  url: URL
  init: RequestInit
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language']
/** What another origin may see: any other header can be a credential that was given for the first one. */
const CARRIED = new Set([
  ...BODY_HEADERS,
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'range',
  'traceparent',
  'user-agent',
])

/** The call that a response redirects to, as the fetch standard has it; undefined when it redirects to none. */
function redirected({ url, init }: NextRequest, response: Received): NextRequest | undefined {
  const location = response.headers.get('location')
  if (!REDIRECTS.has(response.status) || location === null) return undefined
  const target = URL.parse(location, url.href)
  if (target === null) throw new OutboundRefused(`${url.host} redirects to what is no address.`)
  if (url.protocol === 'https:' && target.protocol === 'http:')
    throw new OutboundRefused(`${url.host} redirects from https to http, which is not followed.`)

  const headers = target.origin === url.origin ? new Headers(init.headers) : carriedHeaders(init.headers)
  if (!becomesGet(init.method, response.status))
    return { url: target, init: { ...init, headers, body: repeatable(init.body, url) } }
  for (const name of BODY_HEADERS) headers.delete(name)
  return { url: target, init: { ...init, headers, method: 'GET', body: null } }
}

const carriedHeaders = (given: RequestInit['headers']): Headers =>
  new Headers([...new Headers(given)].filter(([name]) => CARRIED.has(name)))

function becomesGet(given: string | undefined, status: number): boolean {
  const method = (given ?? 'GET').toUpperCase()
  if (status === 303) return method !== 'HEAD' && method !== 'GET'
  return (status === 301 || status === 302) && method === 'POST'
}

/** The body for a second call; one that was streamed is gone. */
function repeatable(body: RequestInit['body'], url: URL): NonNullable<RequestInit['body']> | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'object' && (Symbol.asyncIterator in body || 'getReader' in body))
    throw new OutboundRefused(`${url.host} asks for a streamed body a second time.`)
  return body
}

/**
 * The response, as the runtime's own fetch gives it, with its body counted, decoded, while it streams: past the cap the
 * stream fails and the connection closes.
 */
function cappedResponse(response: Received, maxBytes: number): Response {
  const { status, statusText, headers, url } = response
  const host = new URL(url).host
  if ((headers.get('content-encoding') ?? '').includes(','))
    return refuse(response, `${host} encodes its answer more than once.`)
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return refuse(response, tooLarge(host, maxBytes))

  const init = { status, statusText, headers: [...headers] }
  const capped = new Response(counted(response, host, maxBytes), init)
  return Object.defineProperties(capped, { url: { value: url }, redirected: { value: response.redirected } })
}

/** Each piece is read when it is asked for. A source of its own, because a transform costs as much as the call. */
function counted({ body }: Received, host: string, maxBytes: number): ReadableStream<Uint8Array> | null {
  if (body === null) return null
  const reader = body.getReader()
  let bytes = 0
  const pieces = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await reader.read()
      if (done) {
        controller.close()
        return
      }
      bytes += value.byteLength
      if (bytes <= maxBytes) {
        controller.enqueue(value)
        return
      }
      reader.cancel().catch(() => undefined)
      throw new OutboundRefused(tooLarge(host, maxBytes))
    },
    cancel: (reason: unknown) => reader.cancel(reason),
  }
  return new ReadableStream(pieces, { highWaterMark: 0 })
}

function refuse(response: Received, sentence: string): never {
  response.body?.cancel().catch(() => undefined)
  throw new OutboundRefused(sentence)
}

const tooLarge = (host: string, maxBytes: number) =>
  `${host} answers more than the ${maxBytes} bytes that are allowed.`
