import type { Response as Received } from 'undici'
import { OutboundRefused } from './outbound.ts'

/**
 * The answer, as the runtime's own fetch gives it, with its body counted, decoded, while it streams: past the cap the
 * stream fails and the connection closes.
 */
export function cappedResponse(response: Received, maxBytes: number): Response {
  const { status, statusText, headers, url } = response
  const host = new URL(url).host
  if ((headers.get('content-encoding') ?? '').includes(','))
    return refuse(response, `${host} encodes its answer more than once.`)
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return refuse(response, tooLarge(host, maxBytes))

  const init = { status, statusText, headers: [...headers] }
  const capped = new Response(counted(response, host, maxBytes), init)
  return Object.defineProperties(capped, { url: { value: url }, redirected: { value: response.redirected } })
}

function counted({ body }: Received, host: string, maxBytes: number): ReadableStream<Uint8Array> | null {
  let bytes = 0
  const stream = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes <= maxBytes) controller.enqueue(chunk)
        else controller.error(new OutboundRefused(tooLarge(host, maxBytes)))
      },
    }),
  )
  return stream ?? null
}

function refuse(response: Received, sentence: string): never {
  response.body?.cancel().catch(() => undefined)
  throw new OutboundRefused(sentence)
}

const tooLarge = (host: string, maxBytes: number) =>
  `${host} answers more than the ${maxBytes} bytes that are allowed.`
