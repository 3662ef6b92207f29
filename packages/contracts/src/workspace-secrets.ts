import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleInstant } from './example-values.ts'
import { flag, numeric } from './modules/module.ts'
import { SECRET_MAX } from './modules/secrets.ts'

/** Characters of the name of a secret. */
const NAME_MAX = 200

/** The name of a secret of a workspace. */
export const SecretName = z
  .string()
  .min(1, 'a secret needs a name')
  .max(NAME_MAX, `the name of a secret has at most ${NAME_MAX} characters`)
  .regex(/^[ -~\u00a0-\uffff]*$/, 'the name of a secret has no control characters')

/** What is wrong with a name is said by itself. */
const nameProblem = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined

const byName = <Entry extends z.ZodType>(entry: Entry) => z.record(SecretName, entry, { error: nameProblem })

/** A secret is a text; anything else is kept as its JSON. */
export const textOfSecret = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const value = z
  .unknown()
  .optional()
  .refine((given) => given !== null && given !== '', 'must not be empty')
  .refine(
    (given) => given === undefined || textOfSecret(given).length <= SECRET_MAX,
    `must have at most ${SECRET_MAX} characters`,
  )
  .describe('A text; anything else is sent as JSON. Without it a secret that is there keeps its value.')
const description = z.string().max(2000)

const SecretInput = z.strictObject({ value, description: description.optional() })
const SecretPatch = z.strictObject({
  value,
  description: description.nullable().optional().describe('null takes it away.'),
})
export type SecretChange = z.infer<typeof SecretPatch>

/** A secret as it is shown: everything but its value. */
export const WorkspaceSecret = z.object({
  description: z.string().optional(),
  createdBy: z.string().optional().describe('The user, or the automation, as `automation:<slug>`.'),
  updatedBy: z.string().optional(),
  createdAt: z.iso.datetime().optional().describe('Always there, but for one of the environment.'),
  updatedAt: z.iso.datetime().optional().describe('Always there, but for one of the environment.'),
  fromEnvironment: z
    .literal(true)
    .optional()
    .describe('An operator has set it in the environment of the platform: it can’t be changed here.'),
  expiresAt: z.iso
    .datetime()
    .optional()
    .describe('When it ends by itself, where an automation gave it a ttl.'),
})
export type WorkspaceSecret = z.infer<typeof WorkspaceSecret>

export const WorkspaceSecrets = z.record(z.string(), WorkspaceSecret).describe('By name.')
export type WorkspaceSecrets = z.infer<typeof WorkspaceSecrets>

const RATES = { least: 0.001, most: 1_000_000 } as const
const rate = () => {
  const message = `must be a number from ${RATES.least} to ${RATES.most}`
  return numeric(z.number(message).min(RATES.least, message).max(RATES.most, message))
}

/**
 * The platform's own secrets of a workspace, which super administrators set: how much of each kind of work its
 * automations may do a second on an instance, how much at once, or that nothing holds them back. What is not set is as
 * the RATE_LIMIT_… of the runtime say.
 */
export const SystemSecrets = z.strictObject({
  prismeai_ratelimit_disabled: flag(),
  prismeai_ratelimit_automations: rate(),
  prismeai_ratelimit_automations_burst: rate(),
  prismeai_ratelimit_emits: rate(),
  prismeai_ratelimit_emits_burst: rate(),
  prismeai_ratelimit_fetchs: rate(),
  prismeai_ratelimit_fetchs_burst: rate(),
  prismeai_ratelimit_repeats: rate(),
  prismeai_ratelimit_repeats_burst: rate(),
})
type SystemSecretName = keyof typeof SystemSecrets.shape

/** What is wrong with a secret of the platform: its name, or its value; undefined where nothing is. */
export function systemSecretProblem(name: string, given: unknown): string | undefined {
  const schema = Object.hasOwn(SystemSecrets.shape, name)
    ? SystemSecrets.shape[name as SystemSecretName]
    : undefined
  if (schema === undefined)
    return `is no name of the platform, those that begin like it are ${Object.keys(SystemSecrets.shape).join(', ')}`
  const parsed = schema.safeParse(given, { error: () => 'must be true or false' })
  return parsed.success ? undefined : parsed.error.issues[0]?.message
}

const path = '/v2/workspaces/:workspaceId/security/secrets' as const
const of = {
  service: 'runtime',
  credential: 'required',
  caller: 'account',
  permission: { action: 'manage_security', on: 'workspaces' },
} as const
const changing = { ...of, interactive: true, scope: 'workspaces:write' } as const
const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
  'ServiceUnavailable',
] as const
const stateFailures = [...failures, 'PreconditionFailed'] as const

const exampleSecrets = {
  shopKey: {
    description: 'Key of the shop, renewed each January.',
    createdBy: exampleId,
    updatedBy: exampleId,
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  },
}
const exampleValue = 'sk-2b1e4f60'

export const getSecrets = endpoint({
  ...of,
  id: 'getSecrets',
  summary:
    'The secrets of a workspace by name, those that its automations have set with them and those that operators set ' +
    'in the environment (`fromEnvironment`); their values are never answered. Names that begin with `prismeai_` ' +
    'are shown to super administrators.',
  scope: 'workspaces:read',
  method: 'get',
  path,
  response: WorkspaceSecrets,
  etag: true,
  failures,
  example: { response: exampleSecrets },
})

export const putSecrets = endpoint({
  ...changing,
  id: 'putSecrets',
  summary:
    'Makes the secrets of a workspace be exactly these: others that the caller sees are deleted. One that is there ' +
    'keeps its value where none is given. Those of the environment stay as they are.',
  method: 'put',
  path,
  body: byName(SecretInput),
  response: WorkspaceSecrets,
  etag: true,
  failures: stateFailures,
  example: {
    request: { shopKey: { value: exampleValue, description: exampleSecrets.shopKey.description } },
    response: exampleSecrets,
  },
})

export const patchSecrets = endpoint({
  ...changing,
  id: 'patchSecrets',
  summary: 'Sets some secrets of a workspace, and leaves the others as they are.',
  method: 'patch',
  path,
  body: byName(SecretPatch),
  response: WorkspaceSecrets,
  etag: true,
  failures: stateFailures,
  example: { request: { shopKey: { value: exampleValue } }, response: exampleSecrets },
})

export const deleteSecret = endpoint({
  ...changing,
  id: 'deleteSecret',
  summary: 'Deletes a secret of a workspace: no request of its automations has it any more.',
  shedExempt: true,
  method: 'delete',
  path: '/v2/workspaces/:workspaceId/security/secrets/:secretName',
  response: z.object({ secretName: z.string() }),
  failures: [...failures, 'PreconditionFailed'],
  example: { response: { secretName: 'shopKey' } },
})
