import { createUser } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { paintOf, plain, type Terminal } from '../terminal.ts'

/** `ops users create <email>`: an account that can be used at once, with a password that is shown once. */
export async function createAccount(
  terminal: Terminal,
  email: string,
  { firstName, lastName }: { firstName: string; lastName: string },
): Promise<number> {
  const { user, password } = await ask(terminal, createUser, { body: { email, firstName, lastName } })
  terminal.print(
    [
      `${plain(user.email ?? email)} has an account, with the password`,
      '',
      `  ${paintOf(terminal)('bold', plain(password))}`,
      '',
      'It is shown only now: hand it over, and have it changed after signing in.',
    ].join('\n'),
  )
  return 0
}
