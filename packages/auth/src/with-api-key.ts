import { type Authentication, authenticationOf } from './authentication.ts'

/** A user tries more keys than this in turn only when something is wrong. */
const KEYS_OF_USER_MAX = 16

/**
 * Made once for a user's credential and a key, and gone with the user's: the headers of both are not joined for each
 * request.
 */
const known = new WeakMap<Authentication, Map<string, Authentication>>()

/** The user, with the rules of a key added (decisions C1). Anything else than a user beside a key stays what it is. */
export function withApiKey(user: Authentication, key: Authentication): Authentication {
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
