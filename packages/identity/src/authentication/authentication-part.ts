import type { Audit } from '@platform/audit'
import { AuthenticationCache } from '@platform/auth'
import type { Announcements } from '@platform/broker'
import type { Database } from '@platform/database'
import type { RateLimiter } from '@platform/http'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { openApiKeys } from '@platform/permissions'
import { type Job, joinParts, type Part } from '@platform/service'
import type { KeyRing } from '@platform/signing-keys'
import type { SignInLog } from '../audit/sign-in-log.ts'
import {
  createAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from '../credentials/access-tokens/access-token-operations.ts'
import { accessTokenStore } from '../credentials/access-tokens/access-token-store.ts'
import { RecentUses } from '../credentials/recent-uses.ts'
import type { IdentityConfig } from '../identity-env.ts'
import type { Opened } from '../opened.ts'
import type { CsrfTokens } from '../sessions/access-token-cookie.ts'
import { revocationStore } from '../sessions/revocations/revocation-store.ts'
import { Revocations } from '../sessions/revocations/revocations.ts'
import { type SessionStore, sessionStore } from '../sessions/session-store.ts'
import { sessionTrail } from '../sessions/session-trail.ts'
import { liveSessions, type Sessions } from '../sessions/sessions.ts'
import type { UserRecord } from '../users/user.ts'
import { apiKeySource, findLiveKey } from './api-key-source.ts'
import { exposeAuthentication } from './authentication-metrics.ts'
import { cookieOnReceivers } from './cookie-on-receivers.ts'
import { credentialChain } from './credential-chain.ts'
import { CredentialGuessLimiter } from './credential-guess-limiter.ts'
import type { IdentifiedRequest } from './identified-request.ts'
import { identify } from './identify.ts'
import { principalSource } from './principal-source.ts'
import { runCallers } from './run-callers.ts'
import { openRunTokens } from './run-tokens-part.ts'

/** Credentials that were checked and stay in memory. */
const CACHED_MAX = 10_000

interface Needs {
  database: Database
  announcements: Announcements
  keyRing: KeyRing
  /** Asked only when a credential is seen for the first time. */
  findUser: (userId: string) => Promise<UserRecord | undefined>
  /** True for applications of the platform itself. */
  isOwnClient: (clientId: string) => boolean
  config: Pick<IdentityConfig, 'issuer' | 'apiUrl' | 'internalApiKey' | 'allowedOrigins' | 'tokens'>
  csrf: CsrfTokens
  audit: Audit
  signInLog: SignInLog
  rateLimiter: RateLimiter
  opened: Opened
  /** How long what is in memory is trusted after endings were last heard. */
  unknownAfterMs: number | undefined
  clock: Clock
  log: Logger
}

/** Who calls, and the sessions and access tokens that say so. */
export interface OpenAuthentication {
  /** Credential → principal, or nobody. Throws AuthenticationError for a bad one. */
  identify: (call: IdentifiedRequest) => void | Promise<void>
  sessions: Sessions
  records: SessionStore
  /**
   * Tells every instance what has ended, after it was committed: ids of sessions, `at:<id>` of access tokens,
   * `user:<id>` of users.
   */
  broadcast: (ids: string[]) => Promise<void>
  part: Part
}

export async function openAuthentication(needs: Needs): Promise<OpenAuthentication> {
  const { database, keyRing, findUser, config, audit, csrf, opened, rateLimiter, clock, log } = needs
  const cache = new AuthenticationCache(CACHED_MAX)
  const records = sessionStore(database, sessionTrail({ signInLog: needs.signInLog, audit }))
  const accessTokens = accessTokenStore(database, audit)
  const endings = revocationStore(database)
  const { announcements, unknownAfterMs } = needs
  const revocations = new Revocations({ announcements, cache, store: endings, log, unknownAfterMs })
  const broadcast = (ids: string[]) => revocations.broadcast(ids)
  const sessions = liveSessions({ records, broadcast, clock })
  keyRing.onChange(() => cache.clear())
  opened.use(await revocations.listen())

  const guessLimiter = new CredentialGuessLimiter({ rateLimiter })
  const principals = principalSource({
    findSession: sessions.find,
    findToken: accessTokens.findByHash,
    findUser,
    guessLimiter,
    isOwnClient: needs.isOwnClient,
    clock,
  })
  const apiKeys = await openApiKeys(database)
  const findApiKey = apiKeySource({ keys: apiKeys, findUser, guessLimiter, rateLimiter, clock })
  const callers = runCallers({
    findSession: sessions.find,
    findToken: accessTokens.findById,
    findUser,
    findKey: (id) => findLiveKey(() => apiKeys.findById(id), { findUser, clock }),
    clock,
  })
  const runTokens = await openRunTokens({ database, config, open: callers.open, clock, log })
  const { authenticate, internalKey } = credentialChain({ cache, principals, findApiKey, keyRing, config })
  const uses = {
    session: new RecentUses('note-session-uses', records.noteUses),
    accessToken: new RecentUses('note-token-uses', accessTokens.noteUses),
    apiKey: new RecentUses('note-key-uses', apiKeys.noteUses),
  }
  for (const use of Object.values(uses)) opened.use(use)
  opened.use(exposeAuthentication({ cache, revocations }))
  return {
    identify: identify({
      issuer: config.issuer,
      cookieOnReceivers: cookieOnReceivers({ csrf, allowedOrigins: config.allowedOrigins }),
      cache,
      runTokens: runTokens.credential,
      authenticate,
      internalKey,
      isCurrent: () => revocations.isCurrent(),
      uses,
    }),
    sessions,
    records,
    broadcast,
    part: joinParts(runTokens.part, {
      routes: [
        createAccessToken({ accessTokens, clock, ...config.tokens }),
        listAccessTokens({ accessTokens }),
        revokeAccessToken({ accessTokens, broadcast }),
      ],
      jobs: [
        revocations.job(),
        ...Object.values(uses).map((use) => use.job()),
        purgeSessions({ sessions: records, accessTokens, revocations: endings, clock }),
      ],
    }),
  }
}

/** Deletes sessions and access tokens that are over, and revocations everybody has seen. Any instance may do it. */
const purgeSessions = (deps: {
  sessions: { deleteOver(now: Date): Promise<number> }
  accessTokens: { deleteOver(now: Date): Promise<unknown> }
  revocations: { deleteOld(): Promise<unknown> }
  clock: Clock
}): Job => ({
  name: 'purge-sessions',
  everyMs: 10 * MINUTE_MS,
  async run(signal) {
    while (!signal.aborted && (await deps.sessions.deleteOver(deps.clock.now())) > 0);
    await deps.accessTokens.deleteOver(deps.clock.now())
    await deps.revocations.deleteOld()
  },
})
