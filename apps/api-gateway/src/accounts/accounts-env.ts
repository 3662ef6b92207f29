import { count, flag } from '@platform/config'
import { z } from 'zod'
import { variables } from '../variables.ts'

const schema = z.object({
  NODE_ENV: variables.NODE_ENV,
  SMTP_HOST: variables.SMTP_HOST,
  ACCOUNT_VALIDATION_METHOD: z
    .enum(['auto', 'email', 'manual'], { error: 'must be auto, email or manual' })
    .optional()
    .describe(
      'What makes a new account usable: nothing (auto, the default in development), an answered mail (email, the default in production) or an administrator (manual).',
    ),
  DISABLE_LOCAL_SIGNUP: flag(false).describe('Nobody makes an account by password any more.'),
  DISABLE_LOCAL_SIGNIN: variables.DISABLE_LOCAL_SIGNIN,
  RATE_LIMIT_SIGNUP: count(1).describe('Accounts a minute made from one address.'),
  RATE_LIMIT_PASSWORD_RESET: count(1).describe('Forgotten passwords a minute from one address.'),
  RATE_LIMIT_VALIDATION_MAIL: count(1).describe('Validation mails a minute asked for from one address.'),
  RATE_LIMIT_DELETION_MAIL: count(1).describe('Deletion mails a minute asked for by one user.'),
  RATE_LIMIT_CONTACTS: count(60).describe(
    'Look-ups of other people a minute by one user who is no super administrator.',
  ),
  RATE_LIMIT_PASSWORD_CHANGE: count(5).describe(
    'Tries a minute of one user at the own password, to change it or the second factor.',
  ),
})

/** How accounts are made and what their owners may do how often. */
export const accountsEnv = schema
  .superRefine((env, problems) => {
    if (env.NODE_ENV !== 'production' || validationOf(env) !== 'email' || env.SMTP_HOST !== undefined) return
    problems.addIssue({
      code: 'custom',
      path: ['SMTP_HOST'],
      message:
        'is required: new accounts are validated by mail (ACCOUNT_VALIDATION_METHOD). Set SMTP_HOST, or the method to manual or auto',
    })
  })
  .transform((env) => ({
    validation: validationOf(env),
    localSignIn: !env.DISABLE_LOCAL_SIGNIN,
    /** Who can't sign in by password needs no account with one. */
    localSignUp: !env.DISABLE_LOCAL_SIGNUP && !env.DISABLE_LOCAL_SIGNIN,
    limits: {
      signUp: perMinute('signup', env.RATE_LIMIT_SIGNUP),
      passwordReset: perMinute('password-reset', env.RATE_LIMIT_PASSWORD_RESET),
      validationMail: perMinute('validation-mail', env.RATE_LIMIT_VALIDATION_MAIL),
      deletionMail: perMinute('deletion-mail', env.RATE_LIMIT_DELETION_MAIL),
      contacts: perMinute('contacts', env.RATE_LIMIT_CONTACTS),
      passwordChange: perMinute('password-change', env.RATE_LIMIT_PASSWORD_CHANGE),
    },
  }))

export type AccountSettings = z.output<typeof accountsEnv>

const validationOf = (env: z.output<typeof schema>) =>
  env.ACCOUNT_VALIDATION_METHOD ?? (env.NODE_ENV === 'production' ? 'email' : 'auto')

const perMinute = (name: string, points: number) => ({ name, points, seconds: 60 })
