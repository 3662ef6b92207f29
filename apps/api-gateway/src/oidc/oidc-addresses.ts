import type { ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'

const READ = ['GET', 'HEAD']
const ASKED_FROM_PAGES = ['POST', 'OPTIONS']
const READ_FROM_PAGES = [...READ, 'OPTIONS']

/** What there is under /oidc, by path without a slash at its end; OPTIONS where pages of other origins may ask. */
const addresses: [path: RegExp, methods: string[]][] = [
  [/^\/auth(\/[^/]+)?$/, READ],
  [/^\/token(\/introspection|\/revocation)?$/, ASKED_FROM_PAGES],
  [/^\/me$/, [...READ, 'POST', 'OPTIONS']],
  [/^\/session\/end(\/success)?$/, READ],
  [/^\/session\/end\/confirm$/, ['POST']],
  [/^\/jwks$/, READ_FROM_PAGES],
  [/^\/\.well-known\/(openid-configuration|oauth-authorization-server)$/, READ_FROM_PAGES],
  [/^\/interaction\/[A-Za-z0-9_-]{1,100}$/, ['GET']],
  [/^\/interaction\/[A-Za-z0-9_-]{1,100}\/login$/, ['POST']],
]

/**
 * Refuses what is not there, in our own words: the server would answer a bare text. Throws ObjectNotFoundError, and MethodNotAllowed
 * with the header `allow`.
 */
export function requireAddress(method: string, path: string, response: ServerResponse): void {
  const methods = addresses.find(([pattern]) => pattern.test(path))?.[1]
  if (methods === undefined)
    throw new Failure('ObjectNotFoundError', `There is nothing at ${method} /oidc${path.slice(0, 200)}.`)
  if (methods.includes(method)) return
  const allowed = methods.join(', ')
  response.setHeader('allow', allowed)
  throw new Failure('MethodNotAllowed', `${method} is not allowed here: use ${allowed}.`)
}
