import { headers as names } from '@platform/contracts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Of a request: what only concerns this connection, what only the gateway may say, and credentials, which end here. */
const requestOnly = new Set(['expect', 'cookie', 'forwarded', 'x-real-ip', names.correlationId])
const responseOnly = new Set<string>([names.correlationId, names.internalKey])

const isForgeable = (name: string): boolean =>
  name.startsWith('x-platform-') || name.startsWith('x-forwarded-')

/**
 * Whether a request header stays behind. Servers that turn headers into variables read `x_platform_user_id` like
 * `x-platform-user-id`, so both are removed. The one header of the family that services read is the API version.
 */
function staysBehind(rawName: string): boolean {
  const name = rawName.toLowerCase().replaceAll('_', '-')
  if (name === names.apiVersion && !rawName.includes('_')) return false
  return hopByHop.has(name) || requestOnly.has(name) || isForgeable(name)
}

const staysInside = (rawName: string): boolean => {
  const name = rawName.toLowerCase()
  return hopByHop.has(name) || responseOnly.has(name) || name.startsWith('x-platform-internal')
}

/** The names of headers repeat from request to request: each spelling is judged once. */
const judgements = (judge: (rawName: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (rawName: string): boolean => {
    const before = known.get(rawName)
    if (before !== undefined) return before
    const judged = judge(rawName)
    if (known.size < 1000) known.set(rawName, judged)
    return judged
  }
}

/** True for a header of a client that no service may see. */
export const isDroppedFromRequest = judgements(staysBehind)

/** True for a header of a service that no client may see. */
export const isDroppedFromResponse = judgements(staysInside)

/** The names a Connection header adds to the hop-by-hop ones; undefined for the usual values, which add none. */
export function connectionTokens(value: string | undefined): Set<string> | undefined {
  if (value === undefined || value === 'keep-alive' || value === 'close' || value === 'Keep-Alive')
    return undefined
  return new Set(value.split(',').map((token) => token.trim().toLowerCase()))
}
