import type { IncomingHttpHeaders } from 'node:http'
import { getUser, type User } from '@platform/contracts'
import { etagOf, requireMatch, strongEtag } from '@platform/http'
import { presentUser, type UserRecord } from './user.ts'

/**
 * The tag of an account. What an address shows beside it (`beside`: the second factor, the session) comes behind a
 * dot, so that a change of the account may name the tag of any of them.
 */
export function userEtag(user: User, beside?: unknown): string {
  const { mfa: _, ...account } = user
  const tag = etagOf(getUser, account)
  return beside === undefined ? tag : `${tag.slice(0, -1)}.${strongEtag(JSON.stringify(beside)).slice(1)}`
}

/** Asked of the locked account before it is changed. Throws PreconditionFailed. */
export type RequireState = (user: UserRecord) => void

/** What `If-Match` of a request says about an account. */
export const stateOf =
  (headers: IncomingHttpHeaders): RequireState =>
  (user) => {
    if (headers['if-match'] === undefined && headers['if-none-match'] === undefined) return
    const etag = userEtag(presentUser(user))
    const start = `${etag.slice(0, -1)}.`
    requireMatch(headers, etag, (opaque) => opaque === etag || opaque.startsWith(start))
  }
