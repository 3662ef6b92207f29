import { expect, test } from 'vitest'
import type { UserPrincipal } from './principal.ts'
import { actorOf } from './principal.ts'

const user = (userId: string, clientId: string): UserPrincipal => ({
  kind: 'user',
  userId,
  clientId,
  sessionId: 's1',
  via: 'jwt',
  anonymous: false,
  superAdmin: false,
  scopes: [],
  email: undefined,
  apiKeyId: undefined,
})

test.each([
  ['nobody', undefined],
  ['platform', { kind: 'internal' } as const],
  ['apiKey:k1', { kind: 'apiKey', apiKeyId: 'k1' } as const],
  ['user:ada', user('ada', 'console')],
  ['client:robot', user('robot', 'robot')],
])('%s is named by their kind', (name, principal) => {
  expect(actorOf(principal)).toBe(name)
})
