import { createHash } from 'node:crypto'
import { Failure, HOUR_MS, randomBase62 } from '@platform/kernel'

/** What a mailed link is for; it works for nothing else. */
export type MailedPurpose = 'validate' | 'reset' | 'delete'

/** How long a mailed link works. */
export const MAILED_TOKEN_MS = HOUR_MS

/** About 256 bits. */
const LENGTH = 43

/** A new secret of a link; only its hash is kept. */
export function newMailedToken(): { token: string; tokenHash: string } {
  const token = randomBase62(LENGTH)
  return { token, tokenHash: hashOfToken(token) }
}

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** The same for a wrong, used, expired and foreign one. */
export const tokenRefused = (): Failure =>
  new Failure(
    'InvalidOrExpiredToken',
    'The link was used before, has expired or is not complete: ask for a new one.',
  )
