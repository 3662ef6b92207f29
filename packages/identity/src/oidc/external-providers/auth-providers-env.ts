import { list } from '@platform/config'
import { z } from 'zod'

/** What external OpenID providers read. */
export const authProvidersEnv = z
  .object({
    AUTH_PROVIDERS_CONFIG: z
      .string()
      .optional()
      .describe('YAML file of the OpenID providers of the platform; without it there are none.'),
    OUTBOUND_ALLOWED: list('').describe(
      'Hosts, addresses and ranges that may be called although they are private, for example idp.internal,10.1.0.0/16.',
    ),
  })
  .transform((env) => ({ file: env.AUTH_PROVIDERS_CONFIG, outboundAllowed: env.OUTBOUND_ALLOWED }))
