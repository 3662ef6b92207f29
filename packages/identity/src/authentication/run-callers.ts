import {
  type Authentication,
  authenticationOf,
  type Principal,
  type RunTokenClaims,
  viaOf,
} from '@platform/auth'
import { anonymousScopes } from '@platform/contracts'
import { type Clock, SECOND_MS, StoreBudget, withStoreBudget } from '@platform/kernel'
import type { ApiKeyRecord } from '@platform/permissions'
import type { AccessTokenRecord } from '../credentials/access-tokens/access-token.ts'
import type { Session } from '../sessions/sessions.ts'
import type { UserRecord } from '../users/user.ts'

interface Needs {
  findSession(sessionId: string): Promise<Session | undefined>
  /** By the id of its record. */
  findToken(id: string, now: Date): Promise<Pick<AccessTokenRecord, 'userId'> | undefined>
  findUser(userId: string): Promise<UserRecord | undefined>
  /** An API key that is still good, by the id of its record. */
  findKey(id: string): Promise<ApiKeyRecord | undefined>
  clock: Clock
}

const TOKEN = 'at:'

/**
 * Whom the requests of runs come from. What a run was begun with may have ended since: the request is nobody's then, as
 * those of runs that nobody began. A run never has the power of an administrator, nor more scopes than a visitor.
 */
export const runCallers = (needs: Needs) => ({
  open: (claims: RunTokenClaims): Promise<Authentication | undefined> =>
    withStoreBudget(new StoreBudget(), async () => {
      const { workspaceId, exp } = claims
      if (claims.asWorkspace === true)
        return authenticationOf({ kind: 'workspace', workspaceId }, lasting(exp))
      const [user, apiKeyId] = await Promise.all([userOf(needs, claims), keyOf(needs, claims)])
      if (user !== undefined)
        return authenticationOf({ ...user, apiKeyId }, lasting(exp, [user.sessionId, `user:${user.userId}`]))
      return apiKeyId === undefined ? undefined : authenticationOf({ kind: 'apiKey', apiKeyId }, lasting(exp))
    }),
})

const lasting = (exp: number, dependsOn: readonly string[] = []) => ({
  expiresAt: exp * SECOND_MS,
  dependsOn,
})

type LentUser = Extract<Principal, { kind: 'user' }>

async function userOf(
  needs: Needs,
  { sub: userId, prismeaiSessionId: sessionId, workspaceId: lentTo }: RunTokenClaims,
): Promise<LentUser | undefined> {
  if (userId === undefined || sessionId === undefined) return undefined
  const session = await sessionOf(needs, sessionId)
  // A program has no rights but its scopes, which it lends to nobody.
  if (session?.userId !== userId || session.clientId === userId) return undefined
  const user = await needs.findUser(userId)
  if (user?.status !== 'validated') return undefined
  return {
    kind: 'user',
    userId,
    sessionId,
    via: viaOf(sessionId),
    anonymous: session.anonymous,
    superAdmin: false,
    thirdParty: true,
    scopes: anonymousScopes,
    clientId: undefined,
    email: user.email,
    apiKeyId: undefined,
    lentTo,
  }
}

type Basis = Pick<Session, 'userId' | 'anonymous'> & { clientId?: string }

async function sessionOf(needs: Needs, sessionId: string): Promise<Basis | undefined> {
  if (!sessionId.startsWith(TOKEN)) return await needs.findSession(sessionId)
  const token = await needs.findToken(sessionId.slice(TOKEN.length), needs.clock.now())
  return token && { userId: token.userId, anonymous: false }
}

/** A key opens its own workspace to the runs of that workspace alone. */
async function keyOf(needs: Needs, { apiKeyId, workspaceId }: RunTokenClaims): Promise<string | undefined> {
  const key = apiKeyId === undefined ? undefined : await needs.findKey(apiKeyId)
  return key?.workspaceId === workspaceId ? key.id : undefined
}
