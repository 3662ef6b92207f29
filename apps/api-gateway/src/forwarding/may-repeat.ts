import type { Exchange } from '../exchange.ts'
import { isConnectionLost } from './upstream-failure.ts'

/** How far a request came before it failed. */
export interface Sent {
  /** There was a connection to send it on. */
  head: boolean
  body: boolean
}

/**
 * True when a request that failed with `error` can't happen twice by sending it again: nothing was sent, or its connection was lost
 * before an answer and the method means the same the second time (RFC 9110 9.2.2). A body that was sent is gone.
 */
export function mayRepeat(
  { request, isSafe }: Exchange,
  sent: Sent,
  hasBody: boolean,
  error: Error,
): boolean {
  if (!sent.head) return true
  if (sent.body || !isConnectionLost(error)) return false
  const { method } = request
  return isSafe ? !hasBody : method === 'PUT' || method === 'DELETE'
}
