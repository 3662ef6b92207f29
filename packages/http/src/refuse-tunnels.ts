import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'
import { takeWithoutOffer } from './ignored-offer.ts'
import { toFailure } from './respond.ts'
import { answerOnSocket, type Busy, isTakenForAnother } from './socket-answer.ts'

/**
 * Refuses what would turn a connection into something else than HTTP/1.1 (reliability T-HTTP-4): CONNECT, and a
 * WebSocket nobody else listens for. Left alone, Node closes without a word. WebSockets are for whoever else listens
 * for upgrades of the server. An offer of any other protocol, as some clients make with every first request, is
 * ignored: the request is answered as without it (RFC 9110 7.8).
 */
export function refuseTunnels(server: Server): void {
  server.on('connect', (request, socket) =>
    refuse(request, socket, new Failure('MethodNotAllowed', 'The method CONNECT is not allowed.')),
  )
  server.on('upgrade', (request, socket, head) => {
    if (!isWebSocket(request) && !isTakenForAnother(socket as Busy)) {
      takeWithoutOffer(server, request, socket, head)
      return
    }
    if (isWebSocket(request) && server.listenerCount('upgrade') > 1 && !isTakenForAnother(socket as Busy))
      return
    // An answer is owed to an earlier request of the connection, or nobody wants it: others pass it by too.
    delete request.headers.upgrade
    const message = 'The connection can’t be upgraded: send the request without the header upgrade.'
    refuse(request, socket, new Failure('RequestValidationError', message))
  })
}

/** Answers an upgrade that whoever takes them refuses, in our error shape, and closes the connection. */
export const refuseUpgrade = (socket: Duplex, error: unknown, correlationId: string): void => {
  socket.resume()
  answerOnSocket(socket as Busy, toFailure(error), correlationId)
}

/** True for the upgrade that others may take: a handler of upgrades leaves the rest to the server itself. */
export const isWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

/** Node has let go of the socket: its errors and what still arrives on it are ours. */
function refuse({ headers }: IncomingMessage, socket: Duplex, failure: Failure): void {
  socket.on('error', () => socket.destroy())
  socket.resume()
  answerOnSocket(socket as Busy, failure, correlationIdOf(headers[names.correlationId], headers.traceparent))
}
