import { interactiveUser } from '@platform/auth'
import { listAccessTokens as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { toListed } from './access-token.ts'
import type { AccessTokenStore } from './access-token-store.ts'

export const listAccessTokens = (deps: { accessTokens: AccessTokenStore }) =>
  route(endpoint, {
    access: interactiveUser,
    handle: async ({ principal }) => (await deps.accessTokens.listOf(principal.userId)).map(toListed),
  })
