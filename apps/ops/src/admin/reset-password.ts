import { resetUserPassword } from '@platform/contracts'
import { call, refusal } from '../platform/call.ts'
import { findPlatform } from '../platform/find-platform.ts'
import { paintOf, plain, type Terminal } from '../terminal.ts'

/** `ops admin reset-password <email>`: a new password for an account; its sessions end. */
export async function resetPassword(terminal: Terminal, email: string): Promise<number> {
  const { status, body } = await call(findPlatform(terminal.env), 'POST', resetUserPassword.path, { email })
  const { data: reset } = resetUserPassword.response.safeParse(body)
  if (status !== 200 || reset === undefined) throw refusal(status, body)

  const paint = paintOf(terminal)
  terminal.print(
    [
      `${plain(reset.email)} has a new password, and all its sessions have ended:`,
      '',
      `  ${paint('bold', plain(reset.password))}`,
      '',
      'It is shown only now: keep it, or change it after signing in.',
    ].join('\n'),
  )
  return 0
}
