import type { UserPrincipal } from '@platform/auth'
import { type BodyOf, type Contact, findContacts as endpoint, type QueryOf } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../users/user.ts'
import type { FoundUsers, UserFilter } from '../users/user-search-store.ts'

interface Needs {
  users: { search(filter: UserFilter, page: { offset: number; limit: number }): Promise<FoundUsers> }
}

export const findContacts = ({ users }: Needs) =>
  route(endpoint, {
    async handle({ body, query, principal, request }) {
      if (principal.superAdmin) return search(users, body, query, principal)
      const { page: _, limit: __, ...dates } = query
      requireExact(body, dates)
      // Else a list of addresses could be tested for accounts, about which signing up and new passwords keep silent.
      await request.takeLimit('contacts', principal.userId)
      return find(users, body, query, principal)
    },
  })

type Asked = BodyOf<typeof endpoint>
type Query = QueryOf<typeof endpoint>
type Users = Needs['users']

/** Who may see everything may ask for everything. */
async function search(users: Users, body: Asked, query: Query, principal: UserPrincipal) {
  const { page, limit, ...dates } = query
  return shownTo(principal, body, await users.search({ ...body, ...dates }, { offset: page * limit, limit }))
}

/** Others get who they name, and nobody that is not there for them: people who wait or are deactivated. */
async function find(users: Users, body: Asked, { page, limit }: Query, principal: UserPrincipal) {
  const { email, ids } = body
  const found = await users.search({ email, ids, status: 'validated' }, { offset: page * limit, limit })
  return shownTo(principal, body, found)
}

const shownTo = (principal: UserPrincipal, { email }: Asked, found: FoundUsers) => ({
  size: found.size,
  contacts: found.users.map((user) => contactFor(principal, email, user)),
})

/** Throws ForbiddenError for what would let somebody list or guess people. */
function requireExact({ email, ids, ...rest }: Asked, dates: Record<string, unknown>): void {
  const more = [...Object.values(rest), ...Object.values(dates)].some((value) => value !== undefined)
  if (!more && (email !== undefined || ids !== undefined)) return
  throw new Failure(
    'ForbiddenError',
    'Find people by their exact e-mail address or by ids: only super administrators may search.',
  )
}

const contactFor = (principal: UserPrincipal, asked: string | undefined, user: UserRecord): Contact =>
  presentContact(user, { everything: principal.superAdmin, email: asked !== undefined })

/** What is shown of a person; the address only to whoever knew it. */
function presentContact(user: UserRecord, shown: { everything: boolean; email: boolean }): Contact {
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
