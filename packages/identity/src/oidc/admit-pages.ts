import type { KoaContextWithOIDC } from 'oidc-provider'
import { originsOf } from './client-rights.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** Public documents: pages of any origin may read them. */
const PUBLIC = /\/(jwks|\.well-known\/[^/]+)$/
const REGISTRATION = /\/reg(\/[^/]+)?$/
const ALLOW = 'access-control-allow-origin'

/**
 * Which pages may read an answer of the OIDC server (CORS): those of the platform, and those a client is answered at
 * itself. Cookies go to and come from the platform's pages only. The preflight of a token request names no client, so
 * it says yes to all; what counts is the answer.
 */
export function admitPages(ctx: KoaContextWithOIDC, { trustedOrigins }: OidcSettings): void {
  const origin = ctx.get('origin')
  if (origin === '' || PUBLIC.test(ctx.path)) return
  ctx.vary('Origin')
  if (trustedOrigins.includes(origin)) {
    admitPlatform(ctx, origin)
    return
  }
  const { oidc } = ctx as { oidc?: KoaContextWithOIDC['oidc'] }
  const isOfClient = oidc?.client !== undefined && originsOf(oidc.client).includes(origin)
  if (ctx.method !== 'OPTIONS' && !isOfClient) ctx.remove(ALLOW)
}

/** Their pages may also register clients, which the server itself lets no page do. */
function admitPlatform(ctx: KoaContextWithOIDC, origin: string): void {
  const isRegistration = REGISTRATION.test(ctx.path)
  if (isRegistration && ctx.method === 'OPTIONS') {
    ctx.status = 204
    ctx.set('access-control-allow-methods', 'GET,POST,PUT,DELETE')
    ctx.set('access-control-allow-headers', 'authorization,content-type')
    ctx.set('access-control-max-age', '3600')
  }
  if (isRegistration) ctx.set(ALLOW, origin)
  if (ctx.response.get(ALLOW) !== '') ctx.set('access-control-allow-credentials', 'true')
}
