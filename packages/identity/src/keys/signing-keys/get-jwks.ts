import { getJwks as getJwksContract } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { SECOND_MS } from '@platform/kernel'
import type { KeyRing } from '@platform/signing-keys'

const LONGEST_SECONDS = 300

/**
 * Served from memory: verifiers elsewhere go on when the database is down. Nobody may keep it for longer than a key
 * is published before it signs, else they would meet signatures of a key they do not know.
 */
export const getJwks = (deps: { keyRing: Pick<KeyRing, 'jwks'>; publishAheadMs?: number }) => {
  const maxAge = Math.min(
    LONGEST_SECONDS,
    Math.floor((deps.publishAheadMs ?? Number.POSITIVE_INFINITY) / SECOND_MS),
  )
  const headers = { 'cache-control': `public, max-age=${maxAge}`, 'access-control-allow-origin': '*' }
  return route(getJwksContract, { handle: async () => respond(deps.keyRing.jwks(), { headers }) })
}
