import { accountHolder, type UserPrincipal } from '@platform/auth'
import { type BodyOf, type Contact, findContacts as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../users/user.ts'
import type { FoundUsers, UserFilter } from '../users/user-search-store.ts'
import { presentContact } from './contact.ts'

interface Needs {
  users: { search(filter: UserFilter, page: { offset: number; limit: number }): Promise<FoundUsers> }
}

export const findContacts = ({ users }: Needs) =>
  route(endpoint, {
    access: accountHolder,
    async handle({ body, query, principal }) {
      const { page, limit, ...dates } = query
      if (!principal.superAdmin) requireExact(body, dates)

      const filter = { ...body, ...dates }
      // Who may see everything may ask for everything; others get who they name, and nobody that is not there for them.
      const found = principal.superAdmin
        ? await users.search(filter, { offset: page * limit, limit })
        : await usable(users, body, { offset: page * limit, limit })

      return {
        size: found.size,
        contacts: found.users.map((user) => contactFor(principal, body.email, user)),
      }
    },
  })

type Asked = BodyOf<typeof endpoint>

/** Throws ForbiddenError for what would let somebody list or guess people. */
function requireExact({ email, ids, ...rest }: Asked, dates: Record<string, unknown>): void {
  const more = [...Object.values(rest), ...Object.values(dates)].some((value) => value !== undefined)
  if (!more && (email !== undefined || ids !== undefined)) return
  throw new Failure(
    'ForbiddenError',
    'Find people by their exact e-mail address or by ids: only super administrators may search.',
  )
}

/** People who wait or are deactivated are not there for others. */
const usable = (users: Needs['users'], { email, ids }: Asked, page: { offset: number; limit: number }) =>
  users.search({ email, ids, status: 'validated' }, page)

const contactFor = (principal: UserPrincipal, asked: string | undefined, user: UserRecord): Contact =>
  presentContact(user, { everything: principal.superAdmin, email: asked !== undefined })
