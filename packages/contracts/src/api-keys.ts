import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleListedKey } from './example-values.ts'
import { instant } from './instant.ts'
import { paging } from './paging.ts'
import { rightActions, rightSubjects } from './rights.ts'

/** Words of a closed list; one that is not in it is 400 InvalidSecurity, with the list. */
const action = z
  .string()
  .min(1)
  .max(60)
  .meta({ enum: [...rightActions] })
const subject = z
  .string()
  .min(1)
  .max(60)
  .meta({ enum: [...rightSubjects] })

/** One right to be granted: an action, or several, on a kind of thing. */
export const ApiKeyRuleInput = z.strictObject({
  action: z.union([action, z.array(action).min(1).max(20)]),
  subject,
})
export type ApiKeyRuleInput = z.infer<typeof ApiKeyRuleInput>

/** A granted right, restricted to the workspace of the key. */
export const ApiKeyRule = z.object({
  action: z.array(z.string()),
  subject: z.string(),
  conditions: z.record(z.string(), z.unknown()),
})
export type ApiKeyRule = z.infer<typeof ApiKeyRule>

const shown = {
  name: z.string().describe('Label.'),
  rules: z.array(ApiKeyRule),
  subjectId: z.string().describe('Identifier of the workspace the key belongs to.'),
  subjectType: z.literal('workspaces'),
}

/** The answer of key creation, exactly as specified: the only one that holds the key. Its record id is in the list. */
export const ApiKey = z.object({
  apiKey: z.string().describe('The key, shown once: iak_{orgSlug}_{uuid}.'),
  ...shown,
})
export type ApiKey = z.infer<typeof ApiKey>

/** A key as lists and edits show it: masked. */
export const ListedApiKey = z.object({
  _id: z.string(),
  apiKey: z.string().describe('The masked key: iak_acme_…4f2a.'),
  ...shown,
  disabled: z.boolean(),
  expiresAt: z.iso.datetime().nullable(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable().describe('Last use, to the minute.'),
})
export type ListedApiKey = z.infer<typeof ListedApiKey>

const name = z.string().trim().min(1).max(100)
const rules = z.array(ApiKeyRuleInput).min(1).max(100)
const path = '/v2/workspaces/:workspaceId/security/apikeys' as const
const keyPath = '/v2/workspaces/:workspaceId/security/apikeys/:apiKey' as const
const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
] as const

const exampleRules = [
  { action: ['read'], subject: 'workspaces', conditions: { id: 'k3x9w0a1b2c3d4e5' } },
  { action: ['create'], subject: 'files', conditions: { workspaceId: 'k3x9w0a1b2c3d4e5' } },
]

export const listApiKeys = endpoint({
  id: 'listApiKeys',
  summary: 'A page of the API keys of a workspace, newest first, masked.',
  service: 'workspaces',
  credential: 'required',
  caller: 'account',
  scope: 'workspaces:read',
  method: 'get',
  path,
  query: z.strictObject(paging),
  response: z.array(ListedApiKey),
  failures,
  example: { response: [exampleListedKey] },
})

export const createApiKey = endpoint({
  id: 'createApiKey',
  summary: 'A workspace administrator creates an API key; every rule is restricted to the workspace.',
  service: 'workspaces',
  credential: 'required',
  caller: 'account',
  interactive: true,
  scope: 'workspaces:write',
  method: 'post',
  path,
  body: z.strictObject({ name, rules, expiresAt: instant.optional() }),
  response: ApiKey,
  idempotent: 'secret',
  failures: [...failures, 'InvalidSecurity'],
  example: {
    request: {
      name: 'CI',
      rules: [
        { action: 'read', subject: 'workspaces' },
        { action: 'create', subject: 'files' },
      ],
    },
    response: {
      apiKey: 'iak_default_2b1e4f60-9c7d-4e53-8a1f-6b0d3c5e4f2a',
      name: 'CI',
      rules: exampleRules,
      subjectId: 'k3x9w0a1b2c3d4e5',
      subjectType: 'workspaces',
    },
  },
})

export const updateApiKey = endpoint({
  id: 'updateApiKey',
  summary: 'Changes an API key: what is given of its rules, name, expiry and disabling.',
  service: 'workspaces',
  credential: 'required',
  caller: 'account',
  interactive: true,
  scope: 'workspaces:write',
  method: 'put',
  path: keyPath,
  body: z.strictObject({
    name: name.optional(),
    rules: rules.optional().describe('Replaces all rules.'),
    expiresAt: instant.nullable().optional().describe('null: never.'),
    disabled: z.boolean().optional(),
  }),
  response: ListedApiKey,
  etag: true,
  failures: [...failures, 'InvalidSecurity', 'PreconditionFailed'],
  example: {
    request: { disabled: false },
    response: exampleListedKey,
  },
})

export const deleteApiKey = endpoint({
  id: 'deleteApiKey',
  summary: 'Deletes an API key; it is refused everywhere within a second.',
  service: 'workspaces',
  credential: 'required',
  caller: 'account',
  interactive: true,
  shedExempt: true,
  scope: 'workspaces:write',
  method: 'delete',
  path: keyPath,
  response: z.object({ _id: z.string(), apiKey: z.string().describe('The masked key.') }),
  etag: true,
  failures: [...failures, 'PreconditionFailed'],
  example: { response: { _id: exampleId, apiKey: 'iak_default_…4f2a' } },
})

export const explainApiKey = endpoint({
  id: 'explainApiKey',
  summary: 'Whether a key may do something, and the rule that decides.',
  service: 'workspaces',
  credential: 'required',
  caller: 'account',
  interactive: true,
  scope: 'workspaces:read',
  method: 'post',
  path: '/v2/workspaces/:workspaceId/security/apikeys/:apiKey/explain',
  body: z.strictObject({
    action: z.string().min(1).max(60),
    subject: z.string().min(1).max(60),
    resource: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields of the thing, for example {"id": "…"}; the workspace of the key without it.'),
  }),
  response: z.object({
    allowed: z.boolean(),
    rule: ApiKeyRule.nullable().describe('The rule that decides; null when none matches, which denies.'),
    reason: z.string().describe('One sentence.'),
  }),
  failures,
  example: {
    request: { action: 'create', subject: 'files' },
    response: { allowed: false, rule: null, reason: 'No rule of the key covers creating files.' },
  },
})
