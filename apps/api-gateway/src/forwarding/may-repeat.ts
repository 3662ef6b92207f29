import type { Exchange } from '../exchange.ts'
import { isConnectionLost } from './upstream-failure.ts'

/**
 * True when nobody can tell by the answer that a request which failed with `error` was sent again: nothing of it was
 * sent before, or its connection was lost before an answer and it changes nothing. A DELETE that was done is 404 the
 * second time, a PUT with If-Match 412.
 */
export const mayRepeat = ({ isSafe }: Exchange, wasSent: boolean, hasBody: boolean, error: Error): boolean =>
  !wasSent || (isSafe && !hasBody && isConnectionLost(error))
