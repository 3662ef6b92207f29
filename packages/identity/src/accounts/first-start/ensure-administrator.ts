import type { Passwords } from '../../credentials/passwords/passwords.ts'
import { generatedPassword } from '../../credentials/passwords/passwords.ts'
import { isEmail, PASSWORD_LENGTH } from '../../users/user.ts'
import type { UserStore } from '../../users/user-store.ts'

/** What the operator wants of the first account. */
export interface AdministratorSettings {
  email: string | undefined
  password: string | undefined
  superAdminEmails: readonly string[]
  withSample: boolean
  /** What operators type for `ops` here. */
  opsCommand: string
}

/**
 * The account the first start made, and what to tell the operator: the only place a generated password is ever shown.
 */
export interface FirstAdministrator {
  userId: string
  email: string
  lines: string[]
}

interface Needs {
  users: Pick<UserStore, 'hasAccounts' | 'insertFirst'>
  passwords: Pick<Passwords, 'hash'>
  settings: AdministratorSettings
}

/**
 * Makes the first administrator of an empty platform; undefined when there is one already or another process was
 * quicker.
 */
export async function ensureAdministrator({
  users,
  passwords,
  settings,
}: Needs): Promise<FirstAdministrator | undefined> {
  if (await users.hasAccounts()) return undefined
  const email = settings.email ?? settings.superAdminEmails[0] ?? 'admin@localhost'
  const password = settings.password ?? generatedPassword()
  requireUsable(email, password)

  const passwordHash = await passwords.hash(password)
  const userId = await users.insertFirst({ email, passwordHash, withSample: settings.withSample })

  return userId === undefined ? undefined : { userId, email, lines: linesFor(settings, { email, password }) }
}

function requireUsable(email: string, password: string): void {
  if (!isEmail(email)) throw new Error(`ADMIN_EMAIL "${email}" is no e-mail address.`)
  const { length } = [...password]
  if (length < PASSWORD_LENGTH.min || length > PASSWORD_LENGTH.max)
    throw new Error(`ADMIN_PASSWORD must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters.`)
}

function linesFor(
  { password: given, opsCommand }: AdministratorSettings,
  { email, password }: { email: string; password: string },
): string[] {
  if (given !== undefined) return [`Administrator ${email} was created with the password of ADMIN_PASSWORD.`]
  return [
    'The first administrator was created. The password is shown once; only its hash is kept.',
    `  e-mail    ${email}`,
    `  password  ${password}`,
    `  lost it?  ${opsCommand} admin reset-password ${email}`,
  ]
}
