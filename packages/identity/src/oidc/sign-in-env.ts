import { optionalHttpUrl } from '@platform/config'
import { z } from 'zod'
import { variables } from '../variables.ts'

/** How people sign in. */
export const signInEnv = z
  .object({
    LOGIN_URL: optionalHttpUrl().describe(
      'Sign-in form of a console, which gets ?interaction=…; without it the gateway shows its own.',
    ),
    DISABLE_LOCAL_SIGNIN: variables.DISABLE_LOCAL_SIGNIN,
  })
  .transform((env) => ({ signIn: { loginUrl: env.LOGIN_URL, withPassword: !env.DISABLE_LOCAL_SIGNIN } }))

export type SignInSettings = z.output<typeof signInEnv>['signIn']
