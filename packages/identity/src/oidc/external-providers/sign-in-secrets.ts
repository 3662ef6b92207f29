import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SignInSecrets } from './relying-party.ts'

const random = (): string => randomBytes(32).toString('base64url')

/**
 * Fresh secrets of one sign-in. The nonce is marked as ours: a token made for it is for the callback and nothing
 * else.
 */
export function newSignInSecrets(cookieSecret: string): SignInSecrets {
  const text = random()
  return { state: random(), verifier: random(), nonce: `${text}.${mark(text, cookieSecret)}` }
}

/** True for a nonce this platform has sent to a provider. */
export function isOwnNonce(nonce: unknown, cookieSecret: string): boolean {
  if (typeof nonce !== 'string') return false
  const [text = '', given = ''] = nonce.split('.')
  const [left, right] = [Buffer.from(given), Buffer.from(mark(text, cookieSecret))]
  return left.length === right.length && timingSafeEqual(left, right)
}

const mark = (text: string, secret: string): string =>
  createHmac('sha256', secret).update('external login nonce').update(text).digest('base64url')
