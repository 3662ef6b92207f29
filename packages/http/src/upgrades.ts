import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'
import { takeLink } from './links/served-link.ts'
import { type Busy, isOwedToAnother, respondOnSocket } from './raw-response.ts'
import { toFailure } from './respond.ts'

/**
 * Refuses what would turn a connection into something else than HTTP/1.1: CONNECT, and a WebSocket where no other
 * listener takes upgrades of the server. Left alone, Node closes without a word. An offer of any other protocol, as
 * some clients make with every first request, is ignored: the request is answered as without it (RFC 9110 7.8).
 */
export function refuseTunnels(server: Server): void {
  server.on('connect', (request, socket) =>
    refuse(request, socket, new Failure('MethodNotAllowed', 'The method CONNECT is not allowed.')),
  )
  server.on('upgrade', (request, socket, head) => {
    if (!isOwedToAnother(socket as Busy) && takeLink(server, request, socket, head)) return
    if (!isWebSocket(request) && !isOwedToAnother(socket as Busy)) {
      takeWithoutOffer(server, request, socket, head)
      return
    }
    if (isWebSocket(request) && server.listenerCount('upgrade') > 1 && !isOwedToAnother(socket as Busy))
      return
    // A response is owed to an earlier request of the connection, or no listener wants the upgrade.
    delete request.headers.upgrade
    const message = 'The connection can’t be upgraded: send the request without the header upgrade.'
    refuse(request, socket, new Failure('RequestValidationError', message))
  })
}

/** Refuses an upgrade in our error shape, for a listener that takes upgrades, and closes the connection. */
export const refuseUpgrade = (socket: Duplex, error: unknown, correlationId: string): void => {
  socket.resume()
  respondOnSocket(socket as Busy, toFailure(error), correlationId)
}

/** True for the upgrade that other listeners may take; the rest is the server's own. */
export const isWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

/** Node has let go of the socket: its errors and its data are ours to handle. */
function refuse({ headers }: IncomingMessage, socket: Duplex, failure: Failure): void {
  socket.on('error', () => socket.destroy())
  socket.resume()
  respondOnSocket(socket as Busy, failure, correlationIdOf(headers[names.correlationId], headers.traceparent))
}

const offer = new Set(['upgrade', 'http2-settings'])

/**
 * Hands the connection to the server once more, as if the request had come without the offer. Node can be told to
 * ignore an offer, but then it loses the bytes that came in one piece with it: the next request, or the beginning of
 * it.
 */
function takeWithoutOffer(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
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
