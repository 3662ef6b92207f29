import { type Authentication, authenticationOf, invalidAccessToken, type JwtClaims } from '@platform/auth'
import { atMost, type Clock, Failure } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { AccessTokenRecord } from '../credentials/access-tokens/access-token.ts'
import type { Session } from '../sessions/sessions.ts'
import type { UserRecord } from '../users/user.ts'
import type { CredentialGuessLimiter } from './credential-guess-limiter.ts'
import { RecentRefusals } from './recent-refusals.ts'

type KnownToken = Pick<AccessTokenRecord, '_id' | 'userId' | 'expiresAt' | 'scopes'>

/** Where the people behind credentials are found; each answers undefined for what is not or no longer there. */
export interface PrincipalSources {
  findSession(sessionId: string): Promise<Session | undefined>
  findToken(tokenHash: string, now: Date): Promise<KnownToken | undefined>
  findUser(userId: string): Promise<UserRecord | undefined>
  guessLimiter: CredentialGuessLimiter
  /** True for applications of the platform itself. */
  isOwnClient(clientId: string): boolean
  clock: Clock
}

/** Good tokens that are remembered as such, by their hash. */
const TOKENS_MAX = 10_000

/** The id by which everything cached of a user is forgotten when the user changes. */
const dependsOnUser = (userId: string): string => `user:${userId}`

/** Makes callers of credentials whose signature or checksum was found to be right. */
export function principalSource(sources: PrincipalSources) {
  const refusals = new RecentRefusals()
  const findToken = tokenFinder(sources)
  return {
    /** The caller of a verified JWT. Throws AuthenticationError when its session or its user has ended. */
    ofClaims: (claims: JwtClaims): Promise<Authentication> =>
      refusals.unlessRefused(`${claims.prismeaiSessionId} ${claims.sub}`, () => ofClaims(claims, sources)),

    /**
     * The owner of an access token. Throws AuthenticationError when there is none, TooManyRequests where an address
     * guesses too often.
     */
    ofTokenHash: (tokenHash: string, clientIp: string): Promise<Authentication> =>
      refusals.unlessRefused(tokenHash, async () => {
        const token = await findToken(tokenHash, clientIp)
        if (token === undefined) throw invalidAccessToken()
        return ofToken(token, sources)
      }),
  }
}

/** A token that was good is no guess: neighbours behind one address don't pay for each other's. */
function tokenFinder({ findToken, guessLimiter, clock }: PrincipalSources) {
  const wasGood = new LRUCache<string, true>(atMost(TOKENS_MAX))
  return async (tokenHash: string, clientIp: string) => {
    const now = clock.now()
    const find = () => findToken(tokenHash, now)
    const token = await (wasGood.has(tokenHash) ? find() : guessLimiter.lookUp(clientIp, find))
    if (token === undefined) wasGood.delete(tokenHash)
    else wasGood.set(tokenHash, true)
    return token
  }
}

async function ofClaims(claims: JwtClaims, sources: PrincipalSources): Promise<Authentication> {
  const { prismeaiSessionId: sessionId, sub: userId, client_id: clientId } = claims
  const session = await sources.findSession(sessionId)
  if (session === undefined || session.userId !== userId) throw ended()
  // A session whose user is its client belongs to a program: its rights are its scopes alone.
  const user = session.userId === session.clientId ? undefined : await requireUser(sources, userId)
  const expiresAt = Math.min(claims.exp * 1000, session.expiresAt.getTime())
  // Whoever agreed to an application lent it some scopes, not their power over the platform.
  const thirdParty = user !== undefined && !sources.isOwnClient(clientId)
  const principal = {
    kind: 'user',
    userId,
    sessionId,
    via: 'jwt',
    anonymous: session.anonymous,
    superAdmin: !thirdParty && user?.platformRole === 'superAdmin',
    thirdParty,
    scopes: claims.scope.split(' '),
    clientId,
    email: user?.email,
    apiKeyId: undefined,
    expiresAt,
  } as const
  return authenticationOf(principal, { expiresAt, dependsOn: [sessionId, dependsOnUser(userId)] })
}

async function ofToken(token: KnownToken, sources: PrincipalSources): Promise<Authentication> {
  const user = await requireUser(sources, token.userId)
  const sessionId = `at:${token._id}`
  const expiresAt = token.expiresAt.getTime()
  const principal = {
    kind: 'user',
    userId: user.id,
    sessionId,
    via: 'accessToken',
    anonymous: false,
    superAdmin: user.platformRole === 'superAdmin',
    scopes: token.scopes,
    clientId: undefined,
    email: user.email,
    apiKeyId: undefined,
    expiresAt,
  } as const
  return authenticationOf(principal, { expiresAt, dependsOn: [sessionId, dependsOnUser(user.id)] })
}

async function requireUser(sources: PrincipalSources, userId: string): Promise<UserRecord> {
  const user = await sources.findUser(userId)
  if (user?.status === 'validated') return user
  throw ended()
}

const ended = () => new Failure('AuthenticationError', 'The session has ended: sign in again.')
