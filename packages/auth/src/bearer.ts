import { ACCESS_TOKEN_COOKIE, headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { isApiKey } from './api-key.ts'

const SCHEME = /^bearer /i

/**
 * The token of an `Authorization: Bearer …` header, unchecked. Throws AuthenticationError for another scheme or no
 * token.
 */
export function bearerOf(authorization: string): string {
  const token = SCHEME.test(authorization) ? authorization.slice(7).trim() : ''
  if (isApiKey(token)) throw keyElsewhere('The header authorization')
  if (token !== '') return token
  throw new Failure('AuthenticationError', 'The Authorization header must be "Bearer <token>".')
}

/** Why an API key is refused that came in a header of something else. */
export const keyElsewhere = (where: string): Failure =>
  new Failure(
    'AuthenticationError',
    `${where} takes no API key: send the key in the header ${names.apiKey}, without "Bearer".`,
  )

/**
 * The JWT of the access-token cookie. Throws RequestValidationError when there are two, because one of them is
 * somebody else's.
 */
export function cookieTokenOf(cookies: string | undefined): string | undefined {
  if (cookies === undefined || !cookies.includes(ACCESS_TOKEN_COOKIE)) return undefined
  let token: string | undefined
  for (const pair of cookies.split(';')) {
    const split = pair.indexOf('=')
    if (split < 0 || pair.slice(0, split).trim() !== ACCESS_TOKEN_COOKIE) continue
    if (token !== undefined)
      throw new Failure('RequestValidationError', `The cookie ${ACCESS_TOKEN_COOKIE} is there twice.`)
    token = pair.slice(split + 1).trim()
  }
  return token === '' ? undefined : token
}
