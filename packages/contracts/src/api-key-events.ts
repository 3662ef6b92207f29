import { z } from 'zod'
import { ApiKeyRule } from './api-keys.ts'
import { event } from './event.ts'

const changed = {
  apiKey: z.string().describe('The masked key.'),
  _id: z.string(),
  subjectType: z.literal('workspaces'),
  subjectId: z.string(),
}

export const apiKeysCreated = event({
  type: 'apikeys.created',
  emittedWhen: 'An API key was created.',
  payload: z.object({ ...changed, rules: z.array(ApiKeyRule) }),
})

export const apiKeysUpdated = event({
  type: 'apikeys.updated',
  emittedWhen: 'An API key was changed: its rules, name, expiry or disabling.',
  payload: z.object({ ...changed, rules: z.array(ApiKeyRule) }),
})

export const apiKeysDeleted = event({
  type: 'apikeys.deleted',
  emittedWhen: 'An API key was deleted.',
  payload: z.object(changed),
})
