import { flag, inSecret, list, opsCommand } from '@platform/config'
import { z } from 'zod'
import { isEmail, PASSWORD_LENGTH } from '../../users/user.ts'

const email = z.string().trim().refine(isEmail, { error: 'must be an e-mail address' })

/** What accounts read. */
export const usersEnv = z
  .object({
    ADMIN_EMAIL: email
      .optional()
      .describe('Address of the first administrator, made when nobody has an account yet.'),
    ADMIN_PASSWORD: inSecret(
      z
        .string()
        .min(PASSWORD_LENGTH.min, `must have at least ${PASSWORD_LENGTH.min} characters`)
        .max(PASSWORD_LENGTH.max, `must have at most ${PASSWORD_LENGTH.max} characters`)
        .optional()
        .describe('Their password; without it one is generated and printed once.'),
    ),
    SUPER_ADMIN_EMAILS: list('').describe('Super administrators, once a mail to the address was answered.'),
    SAMPLE_WORKSPACE: flag(true).describe('Makes the sample workspace at the first start.'),
    OPS_COMMAND: opsCommand,
  })
  .transform((env) => ({
    email: env.ADMIN_EMAIL,
    password: env.ADMIN_PASSWORD,
    superAdminEmails: env.SUPER_ADMIN_EMAILS,
    withSample: env.SAMPLE_WORKSPACE,
    opsCommand: env.OPS_COMMAND,
  }))
