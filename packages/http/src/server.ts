import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

/** Time-outs and limits of every listener of the platform (reliability §6). */
export interface ServerLimits {
  keepAliveTimeoutMs: number
  maxConnections: number
}

const statusLines: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** A strict HTTP/1.1 server: bounded in time, size and connections; what it can't parse is answered in our error shape. */
export function createHardenedServer(listener: RequestListener, limits: ServerLimits): Server {
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16_384,
      requireHostHeader: true,
      insecureHTTPParser: false,
      noDelay: true,
      joinDuplicateHeaders: false,
    },
    listener,
  )
  server.maxHeadersCount = 100
  server.maxRequestsPerSocket = 10_000
  server.maxConnections = limits.maxConnections
  server.on('clientError', answerBadRequest)
  return server
}

/** Node calls this with bytes that are no request, before there is a request to answer. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = statusLines[error.code ?? ''] ?? '400 Bad Request'
  const name = status.startsWith('431')
    ? 'HeadersTooLarge'
    : status.startsWith('408')
      ? 'RequestTimeout'
      : 'RequestValidationError'
  const body = JSON.stringify({
    error: name,
    message: 'The bytes received are not a valid HTTP/1.1 request.',
  })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
}
