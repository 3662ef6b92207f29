import type { RequestListener } from 'node:http'
import { headers as names } from '@platform/contracts'
import { correlationIdOf, sendJson } from '@platform/http'
import { Failure } from '@platform/kernel'
import { isExempt } from './is-exempt.ts'
import type { Load } from './load.ts'

/** How many were turned away, by reason. */
export interface Shed {
  eventLoop: number
  inFlight: number
}

const tooBusy = new Failure('ServiceUnavailable', 'The platform is busy: try again in a second.')

/**
 * Turns requests away while there is too much to do, before anything of them is looked at: 503 with `Retry-After`.
 * What was taken is answered the sooner. Nothing is logged, that would be more work; it is counted in `shed`.
 */
export const shedLoad =
  (load: Load, shed: Shed, next: RequestListener): RequestListener =>
  (request, response) => {
    if (!load.isHigh || isExempt(request)) {
      next(request, response)
      return
    }
    shed[load.lags ? 'eventLoop' : 'inFlight'] += 1
    const { headers } = request
    response.setHeader(
      names.correlationId,
      correlationIdOf(headers[names.correlationId], headers.traceparent),
    )
    response.setHeader('retry-after', '1')
    sendJson(response, tooBusy.status, tooBusy)
  }
