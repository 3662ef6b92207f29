import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Half a year: who comes back later than that is a stranger for one sign-in. */
const LASTS_SECONDS = 180 * 24 * 3600
const NAME_CHARACTERS = 10
const ID = /^[A-Za-z0-9_-]{22}$/

/**
 * Browsers that have signed in to an account before (OWASP "device cookies"). Passwords tried in one are counted
 * apart, so that strangers who try them elsewhere lock nobody out of their own browser. Such a cookie signs nobody
 * in.
 */
export interface KnownDevices {
  /** The id of this browser for an address, where it has signed in to it. */
  idOf(cookies: string | undefined, email: string): string | undefined
  /** The Set-Cookie value that makes a browser known for an address. */
  cookieFor(email: string): string
}

export function knownDevices({ secret, secure }: { secret: string; secure: boolean }): KnownDevices {
  const mac = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  // One for each account of a browser, named so that it does not tell which.
  const nameOf = (email: string) => `_device_${mac(`device name ${email}`).slice(0, NAME_CHARACTERS)}`
  const signatureOf = (id: string, email: string) => mac(`device ${id} ${email}`)
  return {
    idOf(cookies, email) {
      const start = `${nameOf(email)}=`
      const pairs = (cookies ?? '').split(';').map((pair) => pair.trim())
      const value = pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
      const [id = '', signature = ''] = value?.split('.') ?? []
      return ID.test(id) && isSame(signature, signatureOf(id, email)) ? id : undefined
    },
    cookieFor(email) {
      const id = randomBytes(16).toString('base64url')
      const value = `${id}.${signatureOf(id, email)}`
      return (
        `${nameOf(email)}=${value}; Max-Age=${LASTS_SECONDS}; Path=/oidc; HttpOnly; ` +
        `SameSite=Lax${secure ? '; Secure' : ''}`
      )
    },
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
