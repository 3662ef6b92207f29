import { userPrincipal } from '@platform/testing'
import { expect, test } from 'vitest'
import { actorOf } from './actor.ts'

test.each([
  ['nobody', undefined],
  ['platform', { kind: 'internal' } as const],
  ['apiKey:k1', { kind: 'apiKey', apiKeyId: 'k1' } as const],
  ['user:ada', userPrincipal({ userId: 'ada' })],
  ['client:robot', userPrincipal({ userId: 'robot', clientId: 'robot' })],
])('%s is named by their kind', (name, principal) => {
  expect(actorOf(principal)).toBe(name)
})
