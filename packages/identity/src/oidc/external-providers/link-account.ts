import { isDeepStrictEqual } from 'node:util'
import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../../users/user.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { AuthProvider } from './auth-provider.ts'
import type { ExternalIdentity } from './external-identity.ts'
import type { ExternalPerson, LinkedAccountStore } from './linked-account-store.ts'

/** The account of somebody at a provider, or why there is none for them. */
export type Linked = { user: UserRecord } | { refused: 'deactivated' | 'taken' }

/** Finds or makes the account of somebody a provider vouches for. */
export type LinkAccount = (provider: AuthProvider, identity: ExternalIdentity) => Promise<Linked>

interface Needs {
  database: Database
  users: UserStore
  linkedAccounts: LinkedAccountStore
  audit: Audit
}

/** By what was linked before, else by an address that both sides have proven, else a new account. */
export const linkAccount =
  (needs: Needs): LinkAccount =>
  async (provider, identity) => {
    const { slug } = provider
    const person = { provider: slug, issuer: identity.issuer, externalId: identity.externalId }
    const find = async () => (await findLinked(person, needs)) ?? (await findByAddress(slug, identity, needs))
    const known = await find()
    // Where the address is taken, it may be by another sign-in of the same person a moment ago.
    const user = known ?? (await create(slug, identity, needs)) ?? (await find())
    if (user === undefined) return { refused: 'taken' }
    if (user.status !== 'validated') return { refused: 'deactivated' }
    const ownerId = await needs.linkedAccounts.link(person, user.id)
    if (ownerId !== user.id) return useFirst(ownerId, user, known === undefined, needs)
    return { user: await refreshed(user, slug, identity, needs) }
  }

async function findLinked(
  person: ExternalPerson,
  { linkedAccounts, users }: Needs,
): Promise<UserRecord | undefined> {
  const userId = await linkedAccounts.findUserId(person)
  return userId === undefined ? undefined : users.find(userId)
}

/**
 * An address alone proves nothing: the provider must vouch for it, and somebody must have answered a mail to it here.
 * Else whoever signed up with another's address would wait in the account that person gets, or the other way round.
 */
async function findByAddress(
  slug: string,
  identity: ExternalIdentity,
  { users }: Needs,
): Promise<UserRecord | undefined> {
  if (identity.email === undefined || !identity.emailVerified) return undefined
  const found = await users.findByEmail(identity.email)
  if (found === undefined) return undefined
  const { user } = found
  return user.emailValidatedAt !== undefined || wasMadeFor(user, slug, identity) ? user : undefined
}

/** An account whose making was cut off before it was linked. */
function wasMadeFor(user: UserRecord, slug: string, { externalId, issuer }: ExternalIdentity): boolean {
  const data = user.authData[slug] as { id?: unknown; issuer?: unknown } | undefined
  return data?.id === externalId && data.issuer === issuer
}

/** Undefined when another account has the address. */
async function create(
  slug: string,
  identity: ExternalIdentity,
  { users, audit }: Needs,
): Promise<UserRecord | undefined> {
  const { email, emailVerified, firstName, lastName, language, authData } = identity
  try {
    const user = await users.createValidated({
      // An address nobody vouches for would make others believe they share with its owner.
      email: emailVerified ? email : undefined,
      firstName,
      lastName,
      language,
      provider: slug,
      authData,
    })
    await audit.note({
      action: 'account.created',
      actor: `user:${user.id}`,
      subject: `user:${user.id}`,
      details: { provider: slug },
    })
    return user
  } catch (error) {
    if (error instanceof Failure && error.name === 'AlreadyUsed') return undefined
    throw error
  }
}

/** Of two first sign-ins at once the other one was quicker: what this one made goes again. */
async function useFirst(
  ownerId: string,
  made: UserRecord,
  isNew: boolean,
  { database, users }: Needs,
): Promise<Linked> {
  if (isNew) await database.transaction((tx) => users.changes(tx).remove(made.id))
  const owner = await users.find(ownerId)
  return owner?.status === 'validated' ? { user: owner } : { refused: 'deactivated' }
}

/** What the provider knows now; nothing is written when nothing has changed. */
async function refreshed(
  user: UserRecord,
  slug: string,
  identity: ExternalIdentity,
  { users, database }: Needs,
): Promise<UserRecord> {
  const { firstName, lastName, authData, email, emailVerified } = identity
  const isKnown = isDeepStrictEqual(user.authData[slug], authData)
  const current = isKnown ? user : ((await users.addAuthData(user.id, slug, authData)) ?? user)
  const edit = {
    ...(firstName !== undefined && firstName !== user.firstName && { firstName }),
    ...(lastName !== undefined && lastName !== user.lastName && { lastName }),
    ...(user.email === undefined && emailVerified && email !== undefined && { email }),
  }
  if (Object.keys(edit).length === 0) return current
  const edited = await database.transaction((tx) => users.changes(tx).edit([user.id], edit))
  return edited === 'taken' ? current : (edited[0] ?? current)
}
