import type { IncomingHttpHeaders } from 'node:http'

/**
 * False when a browser says that another site sent the request. What is no browser says nothing and holds no cookies
 * of a victim, so it may pass.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const { origin } = headers
  if (origin !== undefined) return origins.includes(origin)
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
