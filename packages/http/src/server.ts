import { createServer, type RequestListener, type Server } from 'node:http'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'
import { continueWhenRead } from './expect-continue.ts'
import { MAX_HEADERS } from './guard.ts'
import { refuseTunnels } from './refuse-tunnels.ts'
import { sendJson } from './reply.ts'
import { answerUnreadable } from './unreadable-request.ts'

/** Time-outs and limits of every listener of the platform (reliability §6). */
export interface ServerLimits {
  keepAliveTimeoutMs: number
  maxConnections: number
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
      // The guard asks for it: Node's own answer has no body.
      requireHostHeader: false,
      insecureHTTPParser: false,
      noDelay: true,
      joinDuplicateHeaders: false,
    },
    listener,
  )
  server.maxHeadersCount = MAX_HEADERS
  server.maxRequestsPerSocket = 10_000
  server.maxConnections = limits.maxConnections
  server.on('clientError', answerUnreadable)
  refuseTunnels(server)
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    listener(request, response)
  })
  server.on('checkExpectation', ({ headers }, response) => {
    response.setHeader(
      names.correlationId,
      correlationIdOf(headers[names.correlationId], headers.traceparent),
    )
    sendJson(response, 417, new Failure('ExpectationFailed', 'Only "Expect: 100-continue" is known.'))
  })
  return server
}
