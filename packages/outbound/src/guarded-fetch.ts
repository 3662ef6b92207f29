import { OutboundRefused, requireCallable } from './callable.ts'
import type { Outbound } from './outbound.ts'
import type { OutboundAnswer } from './outbound-answer.ts'
import { locationOf } from './redirects.ts'

/** A guarded call in the shape of `fetch`, for libraries that ask for one and for who passes answers on as they are. */
export const guardedFetch =
  (request: Outbound['request']): Outbound['fetch'] =>
  async (input, init = {}) => {
    const url = addressOf(input)
    const { maxRedirects, ...plain } = init
    const asked = new Request(input, plain)
    const answer = await failingAsFetch(
      request({
        url,
        method: asked.method,
        headers: Object.fromEntries(asked.headers),
        body: asked.body === null ? undefined : new Uint8Array(await asked.arrayBuffer()),
        signal: init.signal ?? (input instanceof Request ? input.signal : undefined),
        redirects: asked.redirect === 'follow' ? maxRedirects : 'answer',
      }),
    )
    if (asked.redirect !== 'error' || locationOf(answer.status, answer.headers.location) === undefined)
      return responseOf(answer)
    answer.discard()
    throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
  }

function addressOf(input: string | URL | Request): URL {
  const url = URL.parse(input instanceof Request ? input.url : String(input))
  if (url === null)
    throw new OutboundRefused('This is no absolute address: give one that begins with https://.')
  requireCallable(url)
  return url
}

/** What went wrong below is the cause of a TypeError, apart from refusals and the reasons of signals. */
async function failingAsFetch(answering: Promise<OutboundAnswer>): Promise<OutboundAnswer> {
  try {
    return await answering
  } catch (error) {
    const isFromBelow = error instanceof Error && 'code' in error && !(error instanceof DOMException)
    throw isFromBelow ? new TypeError('fetch failed', { cause: error }) : error
  }
}

function responseOf(answer: OutboundAnswer): Response {
  const { status, statusText, url, isRedirected } = answer
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  const init = { status, statusText, headers }
  const response = new Response(bodyOf(answer), init)
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: isRedirected } })
}

function bodyOf(answer: OutboundAnswer): ReadableStream<Uint8Array> | null {
  if (answer.isBodiless) {
    answer.discard()
    return null
  }
  const pieces = answer.pieces()
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => answer.discard(),
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
