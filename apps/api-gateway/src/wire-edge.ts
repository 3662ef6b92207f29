import { type Env, readConfig } from '@platform/config'
import { refuseForgedRequest } from './callers/refuse-forged-request.ts'
import type { GatewayConfig } from './config.ts'
import { connectionsEnv } from './connections-env.ts'
import { admitPage } from './cors/admit-page.ts'
import { allowedOrigins } from './cors/allowed-origins.ts'
import { corsEnv } from './cors/cors-env.ts'
import type { CsrfTokens } from './sessions/csrf-token.ts'
import { strictTransportOf } from './strict-transport.ts'

/** What clients meet: how many may connect, what browsers are told, and which of their pages may write. */
export const wireEdge = (
  env: Env,
  { apiUrl, allowedOrigins: mayWrite }: Pick<GatewayConfig, 'apiUrl' | 'allowedOrigins'>,
  { csrf }: { csrf: CsrfTokens },
) => ({
  connections: readConfig(connectionsEnv, env),
  /** What the pipeline needs of it. */
  steps: {
    admitPage: admitPage(allowedOrigins(readConfig(corsEnv, env))),
    strictTransport: strictTransportOf(apiUrl),
    refuseForgedRequest: refuseForgedRequest({ csrf, allowedOrigins: mayWrite }),
  },
})
