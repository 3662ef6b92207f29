import { count, flag, milliseconds, pagesHost } from '@platform/config'
import { variables } from '@platform/identity/config'
import { limitVariables } from '@platform/rate-limits'
import { z } from 'zod'

/** What the edge reads: how much it takes at once, and which pages of other origins may read its responses. */
export const edgeEnv = z
  .object({
    MAX_CONNECTIONS: count(10_000).describe(
      'Connections the gateway takes at once; further ones are closed.',
    ),
    MAX_CONNECTIONS_PER_ADDRESS: count(200).describe(
      'Connections of one address at once, 0 for no limit. Behind proxies (TRUSTED_PROXY_HOPS) it does not apply: ' +
        'all come from theirs.',
    ),
    TRUSTED_PROXY_HOPS: variables.TRUSTED_PROXY_HOPS,
    RATE_LIMIT_DISABLED: limitVariables([]).RATE_LIMIT_DISABLED,
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
    GATEWAY_LINKS: flag(false).describe(
      'Sends requests to each address of a service over one connection that carries many at once, which costs less ' +
        'of both. Only where each address is that of one process: behind a proxy one instance would get all of them.',
    ),
    API_URL: variables.API_URL,
    CONSOLE_URL: variables.CONSOLE_URL,
    CORS_ADDITIONAL_ALLOWED_ORIGINS: variables.CORS_ADDITIONAL_ALLOWED_ORIGINS,
    PAGES_HOST: pagesHost,
  })
  .transform((env) => ({
    connections: {
      maxConnections: env.MAX_CONNECTIONS,
      maxConnectionsPerAddress:
        env.TRUSTED_PROXY_HOPS > 0 || env.RATE_LIMIT_DISABLED ? 0 : env.MAX_CONNECTIONS_PER_ADDRESS,
    },
    hasLinks: env.GATEWAY_LINKS,
    load: { maxInFlight: env.GATEWAY_MAX_IN_FLIGHT, maxLagMs: env.GATEWAY_MAX_LAG_MS },
    webSockets: { max: env.GATEWAY_MAX_WEBSOCKETS, perCaller: env.GATEWAY_MAX_WEBSOCKETS_PER_CALLER },
    streams: { max: env.GATEWAY_MAX_STREAMS, perCaller: env.GATEWAY_MAX_STREAMS_PER_CALLER },
    cors: {
      origins: [env.API_URL, ...env.CONSOLE_URL, ...env.CORS_ADDITIONAL_ALLOWED_ORIGINS].flatMap(originOf),
      pagesHost: env.PAGES_HOST,
      pagesScheme: new URL(env.API_URL).protocol,
    },
  }))

/** Opaque origins (`null`) and what is no address are never allowed, even when they are written there. */
const originOf = (url: string): string[] => {
  const origin = URL.parse(url)?.origin
  return origin === undefined || origin === 'null' ? [] : [origin]
}
