import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'
import { answerOnSocket, type Busy } from './socket-answer.ts'

/**
 * Refuses what would turn a connection into something else than HTTP/1.1 (reliability T-HTTP-4): CONNECT, and an upgrade nobody else
 * listens for. Left alone, Node closes without a word on the one and ignores the other.
 */
export function refuseTunnels(server: Server): void {
  server.on('connect', (request, socket) =>
    refuse(request, socket, new Failure('MethodNotAllowed', 'The method CONNECT is not allowed.')),
  )
  server.on('upgrade', (request, socket) => {
    if (server.listenerCount('upgrade') > 1) return
    const message = 'The connection can’t be upgraded: send the request without the header upgrade.'
    refuse(request, socket, new Failure('RequestValidationError', message))
  })
}

/** Node has let go of the socket: its errors and what still arrives on it are ours. */
function refuse({ headers }: IncomingMessage, socket: Duplex, failure: Failure): void {
  socket.on('error', () => socket.destroy())
  socket.resume()
  answerOnSocket(socket as Busy, failure, correlationIdOf(headers[names.correlationId], headers.traceparent))
}
