import { flag } from '@platform/config'
import { z } from 'zod'

/** What second factors read. */
export const secondFactorsEnv = z
  .object({
    MFA_FORCE_LOCAL: flag(false).describe(
      'Whoever signs in with a password must enrol an authenticator first.',
    ),
    MFA_ISSUER: z
      .string()
      .trim()
      .regex(/^[^:%]{1,60}$/, 'must be 1–60 characters without a colon')
      .default('Platform')
      .describe('What authenticators call this platform.'),
  })
  .transform((env) => ({ forced: env.MFA_FORCE_LOCAL, issuer: env.MFA_ISSUER }))

export type SecondFactorSettings = z.output<typeof secondFactorsEnv>
