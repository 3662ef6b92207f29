import { z } from 'zod'
import { fields } from '../instructions/templated.ts'
import { type ModuleDescription, numeric, text } from './module.ts'

/** Names of the platform's own secrets begin like this; operators set them, and automations don't see them. */
const SYSTEM_PREFIX = 'prismeai_'

/** Whether a secret of this name is the platform's own. */
export const isSystemSecret = (name: string): boolean => name.startsWith(SYSTEM_PREFIX)

const named = {
  name: text(200)
    .refine((name) => name !== '', 'must not be empty')
    .refine(
      (name) => !isSystemSecret(name),
      `must not begin with ${SYSTEM_PREFIX}: those are the platform’s own`,
    ),
  scope: z
    .enum(['user', 'workspace'])
    .describe('Whose it is: of the user the run acts for, or of the workspace.'),
}

/** Most characters of a secret. */
export const SECRET_MAX = 16_384

export const SetSecretParameters = fields({
  ...named,
  value: z
    .unknown()
    .refine((value) => value !== undefined && value !== null && value !== '', 'is missing')
    .describe('A text; anything else is sent as JSON.'),
  ttl: numeric(z.int().min(1).max(315_360_000))
    .optional()
    .describe('Seconds it is kept; for good without it.'),
})
export const GetSecretParameters = fields(named)
export const DeleteSecretParameters = fields(named)

/** `secrets`: values that automations use and never see. */
export const secretsModule = {
  text:
    'Keeps credentials, encrypted. What is set can be used and never read: `set` and `get` answer a reference, a ' +
    'text that begins with `$secret:`, and a `fetch` puts the value in its place in `url`, `query`, `headers` and ' +
    '`body` when the request leaves, as `crypto.hmac` and `crypto.equals` do in `key` and `expected`. ' +
    'A reference counts for 15 minutes, in what has the same correlation id; ask ' +
    'for it right before it is used. The value is shown in no event, record, log or failure; where an answer to ' +
    'the fetch repeats it, the reference stands there instead. Secrets of the scope `workspace` are those that ' +
    'owners see and set by `/v2/workspaces/{workspaceId}/security/secrets` as well, and those that operators set in ' +
    'the environment of the platform, which `set` and `delete` refuse to change; names that begin with ' +
    '`prismeai_` are the platform’s own and refused.',
  functions: {
    set: {
      text:
        'Keeps a secret, in place of one of the same name, and answers its reference. One of the workspace is ' +
        '`{{secret.name}}` from there on.',
      parameters: SetSecretParameters,
    },
    get: {
      text:
        'A reference to a secret; `{ error: "not_found" }` where there is none, `{ error: "user_required" }` for one ' +
        'of a user in a run that acts for nobody.',
      parameters: GetSecretParameters,
    },
    delete: {
      text: 'Forgets a secret: `{ deleted: true }`, or an `error` as above.',
      parameters: DeleteSecretParameters,
    },
  },
  example: {
    do: [
      {
        run: {
          module: 'secrets',
          function: 'set',
          parameters: { name: 'shopKey', scope: 'workspace', value: '{{body.key}}' },
        },
      },
      {
        run: {
          module: 'secrets',
          function: 'get',
          parameters: { name: 'shopKey', scope: 'workspace' },
          output: 'key',
        },
      },
      {
        fetch: {
          url: 'https://shop.example/orders',
          method: 'post',
          headers: { Authorization: 'Bearer {{key}}' },
          body: { sku: 'a' },
          output: 'order',
        },
      },
      {
        run: {
          module: 'secrets',
          function: 'get',
          parameters: { name: 'other', scope: 'workspace' },
          output: 'other',
        },
      },
    ],
    output: ['{{order.sku}}', '{{other.error}}'],
    gives: ['a', 'not_found'],
  },
} as const satisfies ModuleDescription
