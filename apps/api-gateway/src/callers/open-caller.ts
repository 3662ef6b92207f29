import { type Caller, callerOf, type JwtClaims } from '@platform/auth'
import { resourceScopes } from '@platform/contracts'
import { type Clock, Failure } from '@platform/kernel'
import type { Session } from '../sessions/sessions.ts'
import type { UserRecord } from '../users/user.ts'

/** Where the people behind credentials are found; each answers undefined for what is not or no longer there. */
export interface CallerSources {
  findSession(sessionId: string): Promise<Session | undefined>
  findToken(
    tokenHash: string,
    now: Date,
  ): Promise<{ _id: string; userId: string; expiresAt: Date } | undefined>
  findUser(userId: string): Promise<UserRecord | undefined>
  clock: Clock
}

/** The id by which everything cached of a user is forgotten when the user changes. */
const dependsOnUser = (userId: string): string => `user:${userId}`

/** Makes callers of credentials whose signature or hash was found to be right. */
export const openCallers = (sources: CallerSources) => ({
  /** The caller of a verified JWT. Throws AuthenticationError when its session or its user has ended. */
  async ofClaims(claims: JwtClaims): Promise<Caller> {
    const { prismeaiSessionId: sessionId, sub: userId, client_id: clientId } = claims
    const session = await sources.findSession(sessionId)
    if (session === undefined || session.userId !== userId) throw ended()
    // A session whose user is its client belongs to a program: its rights are its scopes alone (decisions C8).
    const user = session.userId === session.clientId ? undefined : await requireUser(sources, userId)
    const expiresAt = Math.min(claims.exp * 1000, session.expiresAt.getTime())
    const principal = {
      kind: 'user',
      userId,
      sessionId,
      via: 'jwt',
      anonymous: session.anonymous,
      superAdmin: user?.platformRole === 'superAdmin',
      scopes: claims.scope.split(' '),
      clientId,
      email: user?.email,
      apiKeyId: undefined,
      expiresAt,
    } as const
    return callerOf(principal, { expiresAt, dependsOn: [sessionId, dependsOnUser(userId)] })
  },

  /** The owner of an access token; undefined when there is no such token. */
  async ofTokenHash(tokenHash: string): Promise<Caller | undefined> {
    const token = await sources.findToken(tokenHash, sources.clock.now())
    if (token === undefined) return undefined
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
      scopes: resourceScopes,
      clientId: undefined,
      email: user.email,
      apiKeyId: undefined,
      expiresAt,
    } as const
    return callerOf(principal, { expiresAt, dependsOn: [sessionId, dependsOnUser(user.id)] })
  },
})

async function requireUser(sources: CallerSources, userId: string): Promise<UserRecord> {
  const user = await sources.findUser(userId)
  if (user?.status === 'validated') return user
  throw ended()
}

const ended = () => new Failure('AuthenticationError', 'The session has ended: sign in again.')
