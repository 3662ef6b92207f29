import { type Audit, openAudit } from '@platform/audit'
import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import type { Env } from '@platform/config'
import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type MasterKeyRing, masterKeyRing } from '@platform/master-keys'
import type { Outbox } from '@platform/outbox'
import { type Limits, rateLimiter } from '@platform/rate-limits'
import type { Job, ServiceContext } from '@platform/service'
import { type SignInLog, signInLog } from './audit/sign-in-log.ts'
import type { IdentityConfig } from './identity-env.ts'
import type { Opened } from './opened.ts'
import type { CookiePolicy } from './sessions/access-token-cookie.ts'
import { type CsrfTokens, csrfTokens } from './sessions/csrf-token.ts'

/** What identity is built on. */
export interface Stores {
  database: Database
  cache: Cache
  broker: Broker
  outbox: Outbox
}

/** What identity is made with. */
export interface IdentityNeeds extends Stores {
  /** Takes what is to be closed at the end. */
  opened: Opened
  /** Where the workspaces service answers: asked for a sample workspace at the first start. */
  workspacesUrl: string
}

/** What each part of identity brings along. */
export interface Part {
  routes: Route[]
  jobs: Job[]
}

/** What every part of identity may use; made once, before any of them. */
export interface IdentityBase extends IdentityNeeds {
  env: Env
  config: IdentityConfig
  clock: Clock
  log: Logger
  /** True where mail and the like need no server: all-in-one outside production. */
  development: boolean
  audit: Audit
  signInLog: SignInLog
  rateLimiter: Limits
  /** Seals secrets of accounts and providers, each bound to its place. */
  masterKeys: MasterKeyRing
  cookies: CookiePolicy
  csrf: CsrfTokens
}

export async function identityBase(
  env: Env,
  config: IdentityConfig,
  needs: IdentityNeeds,
  { clock, log, development }: ServiceContext,
): Promise<IdentityBase> {
  const audit = await openAudit({ database: needs.database, clock })
  return {
    ...needs,
    env,
    config,
    clock,
    log,
    development,
    audit,
    signInLog: signInLog({ ...needs, audit, clock }),
    rateLimiter: rateLimiter({
      cache: needs.cache,
      log,
      service: 'api-gateway',
      settings: config.rateLimits,
    }),
    masterKeys: masterKeyRing(config.masterKeys),
    cookies: { maxAgeSeconds: config.tokens.maxAgeSeconds, secure: config.secureCookies },
    csrf: csrfTokens(config.cookieSecret),
  }
}
