import type { IncomingHttpHeaders } from 'node:http'

/** Headers of the connection, and those that carry what belongs to the platform. */
const hidden = new Set([
  'cookie',
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'proxy-authorization',
])

/** The headers an automation sees: all but our own credentials, cookies and `x-platform-*` (decisions I6). */
export function shownHeaders(headers: IncomingHttpHeaders, issuer: string): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hidden.has(name) || name.startsWith('x-platform-') || name === '__proto__')
      continue
    if (name === 'authorization' && isOurs(String(value), issuer)) continue
    shown[name] = value
  }
  return shown
}

/** True for access tokens and JWTs of this platform; the Bearer of another system is the business of the automation. */
function isOurs(authorization: string, issuer: string): boolean {
  const token = /^bearer\s+(\S+)$/i.exec(authorization.trim())?.[1]
  if (token === undefined) return false
  return token.startsWith('at:') || token.startsWith('iak_') || issuerOf(token) === issuer
}

function issuerOf(token: string): unknown {
  const [, claims, ...rest] = token.split('.')
  if (claims === undefined || rest.length !== 1) return undefined
  try {
    const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
    return typeof parsed === 'object' && parsed !== null && 'iss' in parsed ? parsed.iss : undefined
  } catch {
    return undefined
  }
}
