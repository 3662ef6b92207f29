import type { Audit } from '@platform/audit'
import { AuthenticationCache } from '@platform/auth'
import type { Announcements } from '@platform/broker'
import type { Database } from '@platform/database'
import type { RateLimiter } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { openApiKeys } from '@platform/permissions'
import type { SignInLog } from '../audit/sign-in-log.ts'
import { accessTokenStore } from '../credentials/access-tokens/access-token-store.ts'
import { wireAccessTokens } from '../credentials/access-tokens/wire-access-tokens.ts'
import { RecentUses } from '../credentials/recent-uses.ts'
import type { IdentityConfig } from '../identity-env.ts'
import type { KeyRing } from '../keys/signing-keys/key-ring.ts'
import type { Opened } from '../opened.ts'
import type { CsrfTokens } from '../sessions/csrf-token.ts'
import { purgeSessions } from '../sessions/purge-sessions.ts'
import { revocationStore } from '../sessions/revocations/revocation-store.ts'
import { Revocations } from '../sessions/revocations/revocations.ts'
import { sessionStore } from '../sessions/session-store.ts'
import { sessionTrail } from '../sessions/session-trail.ts'
import { liveSessions } from '../sessions/sessions.ts'
import type { UserRecord } from '../users/user.ts'
import { apiKeySource } from './api-key-source.ts'
import { exposeAuthentication } from './authentication-metrics.ts'
import { cookieOnReceivers } from './cookie-on-receivers.ts'
import { credentialChain } from './credential-chain.ts'
import { CredentialGuessLimiter } from './credential-guess-limiter.ts'
import { identify } from './identify.ts'
import { principalSource } from './principal-source.ts'

/** Credentials that were checked and stay in memory. */
const CACHED_MAX = 10_000

interface Needs {
  opened: Opened
  database: Database
  announcements: Announcements
  keyRing: KeyRing
  /** Asked only when a credential is seen for the first time. */
  findUser: (userId: string) => Promise<UserRecord | undefined>
  config: IdentityConfig
  csrf: CsrfTokens
  /** True for applications of the platform itself. */
  isOwnClient: (clientId: string) => boolean
  audit: Audit
  signInLog: SignInLog
  rateLimiter: RateLimiter
  clock: Clock
  log: Logger
}

/** Who calls: sessions, access tokens and their endings, for the composition root. */
export async function openAuthentication(needs: Needs) {
  const { database, keyRing, findUser, isOwnClient, config, audit, clock, csrf, opened } = needs
  const callers = new AuthenticationCache(CACHED_MAX)
  const [records, tokens, endings] = [
    sessionStore(database, sessionTrail(needs)),
    accessTokenStore(database, audit),
    revocationStore(database),
  ]
  const revocations = new Revocations({ ...needs, callers, store: endings })
  const broadcast = (ids: string[]) => revocations.broadcast(ids)
  const sessions = liveSessions({ records, broadcast, clock })
  keyRing.onChange(() => callers.clear())
  opened.use(await revocations.listen())

  const guessLimiter = new CredentialGuessLimiter(needs)
  const found = { findSession: sessions.find, findToken: tokens.findByHash, findUser }
  const open = principalSource({ ...found, isOwnClient, guessLimiter, clock })
  const keys = await openApiKeys(database)
  const findApiKey = apiKeySource({ ...needs, keys, guessLimiter })
  const { authenticate, internalKey } = credentialChain({ callers, open, findApiKey, keyRing, config })
  const uses = {
    session: new RecentUses('note-session-uses', records.noteUses),
    accessToken: new RecentUses('note-token-uses', tokens.noteUses),
    apiKey: new RecentUses('note-key-uses', keys.noteUses),
  }
  for (const part of [...Object.values(uses), exposeAuthentication({ callers, revocations })])
    opened.use(part)
  return {
    sessions,
    sessionRecords: records,
    /**
     * Tells every instance what has ended, after it was committed: ids of sessions, `at:<id>` of access tokens,
     * `user:<id>` of users.
     */
    broadcast,
    identify: identify({
      issuer: config.issuer,
      cookieOnReceivers: cookieOnReceivers({ csrf, allowedOrigins: config.allowedOrigins }),
      callers,
      authenticate,
      internalKey,
      isCurrent: () => revocations.isCurrent(),
      uses,
    }),
    routes: wireAccessTokens({ accessTokens: tokens, broadcast, clock, ...config.tokens }).routes,
    jobs: [
      revocations.job(),
      ...Object.values(uses).map((each) => each.job()),
      purgeSessions({ sessions: records, accessTokens: tokens, revocations: endings, clock }),
    ],
  }
}
