import { type Authentication, authenticationOf } from './authentication.ts'

/** The credentials of one request, found but not checked. */
export interface Credentials {
  /** Of the Authorization header. */
  readonly bearer: string | undefined
  /** Of the access-token cookie; absent where an Authorization header is present. */
  readonly cookie: string | undefined
  /** Of the x-platform-api-key header. */
  readonly apiKey: string | undefined
  /** True on the few paths that take the internal key from outside. */
  readonly takesInternalKey: boolean
  /** Unix milliseconds. */
  readonly now: number
  /** Where the request comes from. */
  readonly clientIp: string
}

/** A caller, at once when it is known already. */
export type Found = Authentication | undefined | Promise<Authentication | undefined>

/** Recognises one type of credential: undefined when there is none, AuthenticationError when it is bad. */
export type CredentialResolver = (credentials: Credentials) => Found

/**
 * Credentials → caller. Of each list the first resolver that recognises something decides: who the user is, and which
 * key was sent. Both lists are always asked, because a bad credential is refused even beside a good one. A key beside
 * a user is added to the user.
 */
export const authenticate = (resolvers: {
  users: readonly CredentialResolver[]
  keys: readonly CredentialResolver[]
}) => {
  const findUser = firstOf(resolvers.users)
  const findKey = firstOf(resolvers.keys)
  return (credentials: Credentials): Found => {
    const key = credentials.apiKey === undefined ? undefined : findKey(credentials)
    const user = findUser(credentials)
    if (key === undefined) return user
    return Promise.all([user, key]).then(([ofUser, ofKey]) =>
      ofUser !== undefined && ofKey !== undefined ? withApiKey(ofUser, ofKey) : (ofUser ?? ofKey),
    )
  }
}

const firstOf =
  (resolvers: readonly CredentialResolver[]): CredentialResolver =>
  (credentials) => {
    for (const resolve of resolvers) {
      const found = resolve(credentials)
      if (found !== undefined) return found
    }
    return undefined
  }

/** A user tries more keys than this in turn only when something is wrong. */
const KEYS_OF_USER_MAX = 16

/**
 * Made once for a user's credential and a key, and gone with the user's: the headers of both are not joined for each
 * request.
 */
const known = new WeakMap<Authentication, Map<string, Authentication>>()

/** The user, with the rules of a key added. Any other principal beside a key stays as it is. */
function withApiKey(user: Authentication, key: Authentication): Authentication {
  const { principal } = user
  if (principal.kind !== 'user' || key.principal.kind !== 'apiKey') return user
  const { apiKeyId } = key.principal
  const ofUser = known.get(user) ?? new Map<string, Authentication>()
  const found = ofUser.get(apiKeyId)
  if (found !== undefined) return found
  if (ofUser.size >= KEYS_OF_USER_MAX) ofUser.clear()
  const { expiresAt, dependsOn } = user
  const made = authenticationOf({ ...principal, apiKeyId }, { expiresAt, dependsOn })
  known.set(user, ofUser.set(apiKeyId, made))
  return made
}
