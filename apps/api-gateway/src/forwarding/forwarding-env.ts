import { count, milliseconds } from '@platform/config'
import { z } from 'zod'

/** What forwarding reads. */
export const forwardingEnv = z
  .object({
    GATEWAY_MAX_IN_FLIGHT: count(10_000).describe(
      'Requests the gateway answers at once; further ones are 503 at once.',
    ),
    GATEWAY_MAX_LAG_MS: milliseconds(200).describe(
      'p99 lag of the event loop beyond which new requests are 503; 0 never.',
    ),
    GATEWAY_MAX_WEBSOCKETS: count(5000).describe('WebSockets one gateway process holds.'),
    GATEWAY_MAX_WEBSOCKETS_PER_CALLER: count(100).describe(
      'WebSockets of one user, API key or, without one, address.',
    ),
    GATEWAY_MAX_STREAMS: count(5000).describe('Event streams and long polls one gateway process holds.'),
    GATEWAY_MAX_STREAMS_PER_CALLER: count(1000).describe(
      'Event streams and long polls of one user, API key or, without one, address.',
    ),
  })
  .transform((env) => ({
    load: { maxInFlight: env.GATEWAY_MAX_IN_FLIGHT, maxLagMs: env.GATEWAY_MAX_LAG_MS },
    webSockets: { max: env.GATEWAY_MAX_WEBSOCKETS, perCaller: env.GATEWAY_MAX_WEBSOCKETS_PER_CALLER },
    streams: { max: env.GATEWAY_MAX_STREAMS, perCaller: env.GATEWAY_MAX_STREAMS_PER_CALLER },
  }))
