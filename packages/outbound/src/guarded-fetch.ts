import { type Dispatcher, fetch, type RequestInit, type Response } from 'undici'
import { requireCallable } from './callable-url.ts'
import { cappedResponse } from './capped-response.ts'
import { type NextRequest, redirected } from './follow-redirect.ts'
import { OutboundRefused } from './outbound.ts'

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
  (needs: Needs): typeof globalThis.fetch =>
  async (input, init) => {
    const first = await requestOf(input, init)
    const deadline = AbortSignal.timeout(needs.timeoutMs)
    const given = first.init.signal
    const signal = given == null ? deadline : AbortSignal.any([deadline, given])
    const response = await followed({ ...first, init: { ...first.init, signal } }, needs)
    const isHead = first.init.method?.toUpperCase() === 'HEAD'
    return cappedResponse(response, isHead ? Number.POSITIVE_INFINITY : needs.maxResponseBytes)
  }

async function followed(first: NextRequest, needs: Needs): Promise<Response> {
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

async function call({ url, init }: NextRequest, dispatcher: Dispatcher): Promise<Response> {
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
  input: Parameters<typeof globalThis.fetch>[0],
  init: Parameters<typeof globalThis.fetch>[1],
): Promise<NextRequest> {
  if (typeof input === 'string' || input instanceof URL)
    return { url: parsedUrl(String(input)), init: (init ?? {}) as unknown as RequestInit }
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
