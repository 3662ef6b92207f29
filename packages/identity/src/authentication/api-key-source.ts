import { type Authentication, authenticationOf, type FindApiKey } from '@platform/auth'
import { rateLimits } from '@platform/contracts'
import { type RateLimiter, refuseOver } from '@platform/http'
import { atMost, type Clock, StoreBudget, withStoreBudget } from '@platform/kernel'
import { type ApiKeyRecord, type ApiKeyStore, isUsable, recentAnswers } from '@platform/permissions'
import { LRUCache } from 'lru-cache'
import type { UserRecord } from '../users/user.ts'
import type { CredentialGuessLimiter } from './credential-guess-limiter.ts'

const KEYS_MAX = 10_000

interface Needs {
  keys: Pick<ApiKeyStore, 'findByHash'>
  findUser: (userId: string) => Promise<UserRecord | undefined>
  guessLimiter: CredentialGuessLimiter
  rateLimiter: RateLimiter
  clock: Clock
}

/**
 * The callers of API keys. An answer is at most one second old, so a key that is deleted, disabled, or whose creator
 * has gone is refused within a second on every instance, whether or not word of it arrives.
 */
export function apiKeySource(needs: Needs): FindApiKey {
  const { guessLimiter, clock } = needs
  const known = recentAnswers<Authentication | undefined>(clock)
  const wasGood = new LRUCache<string, true>(atMost(KEYS_MAX))
  const lookUp = (keyHash: string, clientIp: string) =>
    known.get(keyHash, () =>
      // A key that worked is no guess, so neighbours behind one address don't pay for each other's.
      wasGood.has(keyHash) ? open(keyHash, needs) : guessLimiter.lookUp(clientIp, () => open(keyHash, needs)),
    )
  return async (keyHash, clientIp) => {
    const now = clock.now().getTime()
    const caller =
      keyHash === undefined
        ? await guessLimiter.lookUp(clientIp, async () => undefined)
        : await lookUp(keyHash, clientIp)
    if (caller !== undefined && caller.expiresAt > now) {
      if (keyHash !== undefined) wasGood.set(keyHash, true)
      return caller
    }
    if (keyHash !== undefined) wasGood.delete(keyHash)
    await countBadKey(needs, clientIp)
    return undefined
  }
}

/** Whoever made the key answers for it: it ends with the account, and one made by power alone ends with the power. */
const open = (keyHash: string, needs: Needs): Promise<Authentication | undefined> =>
  withStoreBudget(new StoreBudget(), () => find(keyHash, needs))

async function find(keyHash: string, needs: Needs): Promise<Authentication | undefined> {
  const key = await findLiveKey(() => needs.keys.findByHash(keyHash), needs)
  if (key === undefined) return undefined
  const expiresAt = key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
  return authenticationOf({ kind: 'apiKey', apiKeyId: key.id }, { expiresAt, dependsOn: [] })
}

/** A key that is good, and whose maker answers for it. */
export async function findLiveKey(
  findKey: () => Promise<ApiKeyRecord | undefined>,
  { findUser, clock }: Pick<Needs, 'findUser' | 'clock'>,
): Promise<ApiKeyRecord | undefined> {
  const key = await findKey()
  if (key === undefined || !isUsable(key, clock.now())) return undefined
  const creator = await findUser(key.createdBy)
  if (creator?.status !== 'validated') return undefined
  if (key.createdAsSuperAdmin && creator.platformRole !== 'superAdmin') return undefined
  return key
}

/** All instances count together. Throws TooManyRequests over the limit. */
async function countBadKey({ rateLimiter }: Needs, clientIp: string): Promise<void> {
  refuseOver(await rateLimiter.take(rateLimits.badApiKeys, clientIp))
}
