import type { ServerResponse } from 'node:http'

/** How long a client that is still sending is listened to after its answer: closing at once would make it miss the answer. */
const LINGER_MS = 1000

/**
 * Ends an answer that was complete before the request was, for example a refusal in the middle of an upload. The connection ends with
 * it (its headers said so), but only when the client has stopped sending or was given time to read.
 */
export function endAnswerEarly(response: ServerResponse): void {
  const { req: request } = response
  const timer = setTimeout(finish, LINGER_MS)
  function finish() {
    clearTimeout(timer)
    request.off('end', finish).off('close', finish)
    response.end()
  }
  request.once('end', finish).once('close', finish)
  request.resume()
}
