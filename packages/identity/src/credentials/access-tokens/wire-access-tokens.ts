import type { Clock } from '@platform/kernel'
import type { AccessTokenStore } from './access-token-store.ts'
import { createAccessToken } from './create-access-token.ts'
import { listAccessTokens } from './list-access-tokens.ts'
import { revokeAccessToken } from './revoke-access-token.ts'

interface Needs {
  accessTokens: AccessTokenStore
  broadcast: (ids: string[]) => Promise<void>
  clock: Clock
  maxAgeSeconds: number
  maxTokens: number
}

/** Access tokens, for the composition root. */
export const wireAccessTokens = ({ accessTokens, broadcast, clock, ...limits }: Needs) => ({
  routes: [
    createAccessToken({ accessTokens, clock, ...limits }),
    listAccessTokens({ accessTokens }),
    revokeAccessToken({ accessTokens, broadcast }),
  ],
})
