import { CallerCache } from '@platform/auth'
import type { Announcements } from '@platform/broker'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { accessTokenStore } from '../access-tokens/access-token-store.ts'
import { TokenUses } from '../access-tokens/note-token-uses.ts'
import { wireAccessTokens } from '../access-tokens/wire-access-tokens.ts'
import type { GatewayConfig } from '../config.ts'
import { revocationStore } from '../revocations/revocation-store.ts'
import { Revocations } from '../revocations/revocations.ts'
import type { CookiePolicy } from '../sessions/access-token-cookie.ts'
import { endAllSessions } from '../sessions/end-all-sessions.ts'
import { endCurrentSession } from '../sessions/end-current-session.ts'
import { purgeSessions } from '../sessions/purge-sessions.ts'
import { sessionStore } from '../sessions/session-store.ts'
import { liveSessions } from '../sessions/sessions.ts'
import type { KeyRing } from '../signing-keys/key-ring.ts'
import type { UserRecord } from '../users/user.ts'
import { credentialChain } from './credential-chain.ts'
import { identify } from './identify.ts'
import { openCallers } from './open-caller.ts'

/** Credentials that were checked and stay in memory. */
const CALLERS_MAX = 10_000

interface Needs {
  database: Database
  announcements: Announcements
  keyRing: KeyRing
  /** Asked only when a credential is seen for the first time. */
  findUser: (userId: string) => Promise<UserRecord | undefined>
  config: GatewayConfig
  cookies: CookiePolicy
  clock: Clock
  log: Logger
}

/** Who calls: sessions, access tokens and their endings, for the composition root. */
export async function wireCallers(needs: Needs) {
  const { database, keyRing, findUser, config, cookies, clock } = needs
  const callers = new CallerCache(CALLERS_MAX)
  const [records, tokens, endings] = [
    sessionStore(database),
    accessTokenStore(database),
    revocationStore(database),
  ]
  const revocations = new Revocations({ ...needs, callers, store: endings })
  const spread = (ids: string[]) => revocations.spread(ids)
  const sessions = liveSessions({ records, spread, clock })
  keyRing.onChange(() => callers.clear())
  const listening = await revocations.listen()

  const open = openCallers({ findSession: sessions.find, findToken: tokens.findByHash, findUser, clock })
  const { authenticate, internalKey } = credentialChain({ callers, open, keyRing, config })
  const uses = new TokenUses(clock)
  const { maxAgeSeconds } = config.tokens
  const accessTokens = wireAccessTokens({ accessTokens: tokens, uses, spread, clock, maxAgeSeconds })
  return {
    sessions,
    /** Hears the endings of other instances until disposed. */
    listening,
    identify: identify({
      issuer: config.issuer,
      callers,
      authenticate,
      internalKey,
      isCurrent: () => revocations.isCurrent(),
      noteTokenUse: (id) => uses.note(id),
    }),
    routes: [
      ...accessTokens.routes,
      endCurrentSession({ sessions, cookies }),
      endAllSessions({ sessions, cookies }),
    ],
    jobs: [
      revocations.job(),
      ...accessTokens.jobs,
      purgeSessions({ sessions: records, accessTokens: tokens, revocations: endings, clock }),
    ],
  }
}
