import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

const offer = new Set(['upgrade', 'http2-settings'])

/**
 * Hands the connection to the server once more, as if the request had come without the offer. Node can be told to
 * ignore an offer, but then it loses the bytes that came in one piece with it: the next request, or the beginning of
 * it.
 */
export function takeWithoutOffer(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const { method, url, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${request.httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = valueWithoutOffer(name.toLowerCase(), rawHeaders[index + 1] ?? '')
    if (value !== undefined) lines.push(`${name}: ${value}`)
  }
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  socket.unshift(Buffer.concat([bytes, head]))
  server.emit('connection', socket)
}

/** Undefined where nothing is left of a header. */
function valueWithoutOffer(name: string, value: string): string | undefined {
  if (offer.has(name)) return undefined
  if (name !== 'connection') return value
  const tokens = value.split(',').map((token) => token.trim())
  const kept = tokens.filter((token) => token !== '' && !offer.has(token.toLowerCase()))
  return kept.length === 0 ? undefined : kept.join(', ')
}
