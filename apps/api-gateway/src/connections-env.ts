import { count } from '@platform/config'
import { limitVariables } from '@platform/rate-limits'
import { z } from 'zod'
import { variables } from './variables.ts'

/** How many connections the gateway takes. */
export const connectionsEnv = z
  .object({
    MAX_CONNECTIONS: count(10_000).describe(
      'Connections the gateway takes at once; further ones are closed.',
    ),
    MAX_CONNECTIONS_PER_ADDRESS: count(200).describe(
      'Connections of one address at once, 0 for no limit. Behind proxies (TRUSTED_PROXY_HOPS) it does not apply: all come from theirs.',
    ),
    TRUSTED_PROXY_HOPS: variables.TRUSTED_PROXY_HOPS,
    RATE_LIMIT_DISABLED: limitVariables([]).RATE_LIMIT_DISABLED,
  })
  .transform((env) => ({
    maxConnections: env.MAX_CONNECTIONS,
    maxConnectionsPerAddress:
      env.TRUSTED_PROXY_HOPS > 0 || env.RATE_LIMIT_DISABLED ? 0 : env.MAX_CONNECTIONS_PER_ADDRESS,
  }))
