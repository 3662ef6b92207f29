import type { IncomingMessage } from 'node:http'

/** Ending sessions, tokens, API keys and signing keys: what an operator or a user does when something was stolen. */
const REVOCATION =
  /^\/v\d\/(?:user\/(?:sessions|accessTokens)|platform\/signing-keys|workspaces\/[^/]+\/security\/apikeys)(?:\/|$)/

/**
 * True for what is answered under any load: whether the platform is up, and what takes rights away (reliability §6).
 */
export function isExempt({ method, url = '/' }: IncomingMessage): boolean {
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  if (method === 'GET' || method === 'HEAD')
    return path === '/' || path === '/v2/readiness' || path.startsWith('/sys/')
  if (method === 'POST') return path === '/oidc/token/revocation'
  return method === 'DELETE' && REVOCATION.test(path)
}
