import type { ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'
import type { OidcSettings } from './oidc-settings.ts'

const READ = ['GET', 'HEAD']
const ASKED_FROM_PAGES = ['POST', 'OPTIONS']
const READ_FROM_PAGES = [...READ, 'OPTIONS']
const REGISTRATION = /^\/reg(\/|$)/

/** What there is under /oidc, by path without a slash at its end; OPTIONS where pages of other origins may ask. */
const addresses: [path: RegExp, methods: string[]][] = [
  [/^\/auth(\/[^/]+)?$/, READ],
  [/^\/token(\/introspection|\/revocation)?$/, ASKED_FROM_PAGES],
  [/^\/me$/, [...READ, 'POST', 'OPTIONS']],
  [/^\/session\/end(\/success)?$/, READ],
  [/^\/session\/end\/confirm$/, ['POST']],
  [/^\/reg$/, ASKED_FROM_PAGES],
  [/^\/reg\/[A-Za-z0-9._-]{1,100}$/, [...READ, 'PUT', 'DELETE', 'OPTIONS']],
  [/^\/jwks$/, READ_FROM_PAGES],
  [/^\/\.well-known\/(openid-configuration|oauth-authorization-server)$/, READ_FROM_PAGES],
]

/**
 * Refuses what is not there, in our own words: the server would answer a bare text. Throws ObjectNotFoundError, and
 * MethodNotAllowed with the header `allow`.
 */
export function requireAddress(
  { method = '', path }: { method: string | undefined; path: string },
  response: ServerResponse,
  { registrationToken }: Pick<OidcSettings, 'registrationToken'>,
): void {
  const methods = addresses.find(([pattern]) => pattern.test(path))?.[1]
  const isOff = registrationToken === undefined && REGISTRATION.test(path)
  if (methods === undefined || isOff)
    throw new Failure('ObjectNotFoundError', `There is nothing at ${method} /oidc${path.slice(0, 200)}.`)
  requireMethod(method, methods, response)
}

/** Throws MethodNotAllowed, with the header `allow`, for a method that an address does not take. */
export function requireMethod(method: string, methods: readonly string[], response: ServerResponse): void {
  if (methods.includes(method)) return
  const allowed = methods.join(', ')
  response.setHeader('allow', allowed)
  throw new Failure('MethodNotAllowed', `${method} is not allowed here: use ${allowed}.`)
}
