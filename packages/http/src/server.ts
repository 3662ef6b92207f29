import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { continueWhenRead } from './body.ts'
import { limitConnections } from './connection-limit.ts'
import { correlationIdOf } from './correlation.ts'
import { MAX_HEADERS, refuseAmbiguous } from './guard.ts'
import { refuseLate, refuseUnreadable } from './raw-response.ts'
import { sendJson, toFailure } from './respond.ts'
import { BodyPace, endStalled } from './slow-clients.ts'
import { refuseTunnels } from './upgrades.ts'

/**
 * Time-outs and limits of a server. What is left out has the value of the constants below.
 */
export interface ServerLimits {
  keepAliveTimeoutMs: number
  maxConnections: number
  /** How long the headers of a request may take to arrive. */
  headersTimeoutMs?: number
  /** How long a body may take to arrive, or each megabyte of a longer one. */
  requestTimeoutMs?: number
  /** How long a client may take nothing at all of a response that waits for it. */
  stalledTimeoutMs?: number
}

const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
const STALLED_MS = 30_000

/**
 * A strict HTTP/1.1 server: bounded in time, size and connections; what it can't parse is answered in our error
 * shape.
 */
export function createHardenedServer(listener: RequestListener, limits: ServerLimits): Server {
  const bodies = new BodyPace(limits.requestTimeoutMs ?? REQUEST_MS, refuseLate)
  const server = createServer(
    {
      // Node's own would cut an upload that goes on well: bodies are watched by their pace.
      requestTimeout: 0,
      headersTimeout: limits.headersTimeoutMs ?? HEADERS_MS,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs ?? HEADERS_MS),
      maxHeaderSize: 16_384,
      // The guard asks for it: Node's own answer has no body.
      requireHostHeader: false,
      insecureHTTPParser: false,
      noDelay: true,
      joinDuplicateHeaders: false,
      // A request without a body never has a stream: half a µs of each GET. Its `close` is the one of its response.
      optimizeEmptyRequests: true,
    },
    (request, response) => {
      bodies.watch(request)
      listener(request, response)
    },
  )
  server.once('close', () => bodies.stop())
  server.maxHeadersCount = MAX_HEADERS
  server.maxRequestsPerSocket = 10_000
  server.maxConnections = limits.maxConnections
  endStalled(server, limits.stalledTimeoutMs ?? STALLED_MS)
  server.on('clientError', refuseUnreadable)
  refuseTunnels(server)
  limitConnections(server)
  answerExpectations(server, bodies, listener)
  return server
}

function answerExpectations(server: Server, bodies: BodyPace, listener: RequestListener): void {
  server.on('checkContinue', (request, response) => {
    bodies.watch(request)
    // Node also takes lists and parameters for it.
    if (request.headers.expect?.toLowerCase() !== '100-continue') {
      refuseExpectation(request, response)
      return
    }
    continueWhenRead(request, response)
    listener(request, response)
  })
  server.on('checkExpectation', (request, response) => {
    bodies.watch(request)
    refuseExpectation(request, response)
  })
}

function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request
  response.setHeader(names.correlationId, correlationIdOf(headers[names.correlationId], headers.traceparent))
  try {
    refuseAmbiguous(request, response)
    throw new Failure('ExpectationFailed', 'Only "Expect: 100-continue" is known.')
  } catch (error) {
    const failure = toFailure(error)
    sendJson(response, failure.status, failure)
  }
}
