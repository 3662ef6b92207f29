import { Failure } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'
import type { CompiledRoute } from '../forwarding/match-route.ts'

const KEY = /^[A-Za-z0-9+/]{22}==$/

/**
 * Throws unless the request is the opening handshake of a WebSocket (RFC 6455 4.1), to a line of the table that takes
 * one.
 */
export function requireHandshake({ request, response, forwarding }: Exchange): CompiledRoute {
  if (forwarding?.upgrade !== 'websocket')
    throw invalid('Nothing can be upgraded here: send the request without the header upgrade.')
  const { headers, method } = request
  if (
    method !== 'GET' ||
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  )
    throw invalid('A WebSocket is opened by GET without a body.')
  if (headers['sec-websocket-version'] !== '13') {
    response.setHeader('sec-websocket-version', '13')
    throw invalid('Only version 13 of WebSocket is known.')
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? ''))
    throw invalid('The header sec-websocket-key must be 16 bytes in base64.')
  return forwarding
}

const invalid = (message: string) => new Failure('RequestValidationError', message)
