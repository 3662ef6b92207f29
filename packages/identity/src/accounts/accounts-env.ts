import { flag } from '@platform/config'
import { z } from 'zod'
import { variables } from '../variables.ts'

const schema = z.object({
  NODE_ENV: variables.NODE_ENV,
  SMTP_HOST: variables.SMTP_HOST,
  ACCOUNT_VALIDATION_METHOD: z
    .enum(['auto', 'email', 'manual'], { error: 'must be auto, email or manual' })
    .optional()
    .describe(
      'What makes a new account usable: nothing (auto, the default in development), an answered mail (email, ' +
        'the default in production with SMTP_HOST) or an administrator (manual). In production with neither, ' +
        'only an administrator makes accounts.',
    ),
  DISABLE_LOCAL_SIGNUP: flag(false).describe('Nobody makes an account by password any more.'),
  DISABLE_LOCAL_SIGNIN: variables.DISABLE_LOCAL_SIGNIN,
})

/** How accounts are made. */
export const accountsEnv = schema
  .superRefine((env, problems) => {
    if (env.NODE_ENV !== 'production' || env.ACCOUNT_VALIDATION_METHOD !== 'email') return
    if (env.SMTP_HOST !== undefined) return
    problems.addIssue({
      code: 'custom',
      path: ['SMTP_HOST'],
      message:
        'is required: new accounts are validated by mail (ACCOUNT_VALIDATION_METHOD). Set SMTP_HOST, or the ' +
        'method to manual or auto',
    })
  })
  .transform((env) => ({
    validation: validationOf(env),
    localSignIn: !env.DISABLE_LOCAL_SIGNIN,
    /** Who can't sign in by password needs no account with one. */
    localSignUp: !env.DISABLE_LOCAL_SIGNUP && !env.DISABLE_LOCAL_SIGNIN && !isWithoutMail(env),
  }))

export type AccountSettings = z.output<typeof accountsEnv>

type Variables = z.output<typeof schema>

function validationOf(env: Variables): 'auto' | 'email' | 'manual' {
  if (env.ACCOUNT_VALIDATION_METHOD !== undefined) return env.ACCOUNT_VALIDATION_METHOD
  if (env.NODE_ENV !== 'production') return 'auto'
  return isWithoutMail(env) ? 'manual' : 'email'
}

/** Nobody could prove an address, and nothing says that it need not be proven: strangers must not make accounts. */
const isWithoutMail = (env: Variables): boolean =>
  env.NODE_ENV === 'production' && env.ACCOUNT_VALIDATION_METHOD === undefined && env.SMTP_HOST === undefined
