import type { Contact } from '@platform/contracts'
import type { UserRecord } from '../users/user.ts'

/** What is shown of a person; the address only to whoever knew it. */
export function presentContact(user: UserRecord, shown: { everything: boolean; email: boolean }): Contact {
  const { id, firstName, lastName, language, photo, email, status, platformRole, createdAt } = user
  const all = {
    id,
    firstName,
    lastName,
    language,
    photo,
    ...(shown.everything || shown.email ? { email } : {}),
    ...(shown.everything ? { status, platformRole, createdAt: createdAt.toISOString() } : {}),
  }
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Contact
}
