import type { ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'

/**
 * Aborts when nobody waits for the answer any more: the client is gone, or the deadline (Unix milliseconds) has
 * passed.
 */
export function callerSignal(response: ServerResponse, deadlineAt: number): AbortSignal {
  const gone = new AbortController()
  const abort = () => {
    if (!response.writableEnded) gone.abort(new Failure('RequestTimeout', 'The client is gone.'))
  }
  if (response.destroyed) abort()
  else response.once('close', abort)
  return AbortSignal.any([gone.signal, AbortSignal.timeout(Math.max(1, deadlineAt - Date.now()))])
}
