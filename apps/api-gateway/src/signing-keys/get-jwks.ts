import { anyone } from '@platform/auth'
import { getJwks as endpoint } from '@platform/contracts'
import { answer, route } from '@platform/http'
import type { KeyRing } from './key-ring.ts'

/** Served from memory: verifiers elsewhere go on when the database is down. */
export const getJwks = (deps: { keyRing: KeyRing }) =>
  route(endpoint, {
    access: anyone,
    handle: async () => answer(deps.keyRing.jwks(), { headers: { 'cache-control': 'public, max-age=300' } }),
  })
