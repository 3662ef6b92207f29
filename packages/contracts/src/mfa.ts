import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { MfaMethod } from './users.ts'

const CurrentPassword = z
  .string()
  .min(1)
  .max(512)
  .describe('Proves that the person is still at the keyboard.')
const RecoveryCodes = z.array(z.string()).describe('Each replaces one code, once. Shown only now.')

export const setMfa = endpoint({
  id: 'setMfa',
  summary:
    'Begins to enrol an authenticator, which counts from its first right code on (POST /v2/login/mfa), or ' +
    'takes the second factor away.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'post',
  path: '/v2/user/mfa',
  body: z.strictObject({ method: MfaMethod, currentPassword: CurrentPassword }),
  response: z.union([
    z.object({
      secret: z.string().describe('Base32, for authenticators that can’t read pictures.'),
      qrImage: z.string().describe('A PNG as data URL, to be photographed by an authenticator.'),
    }),
    z.object({ method: MfaMethod }),
  ]),
  idempotent: 'secret',
  limits: ['passwordChange'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InvalidPassword',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: { method: 'totp', currentPassword: 'correct horse battery' },
    response: { secret: 'JBSWY3DPEHPK3PXP', qrImage: 'data:image/png;base64,iVBORw0KGgo=' },
  },
})

export const renewRecoveryCodes = endpoint({
  id: 'renewRecoveryCodes',
  summary: 'Makes ten new recovery codes; the old ones stop working.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'post',
  path: '/v2/user/mfa/recoveryCodes',
  body: z.strictObject({ currentPassword: CurrentPassword }),
  response: z.object({ recoveryCodes: RecoveryCodes }),
  idempotent: 'secret',
  limits: ['passwordChange'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InvalidPassword',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: { currentPassword: 'correct horse battery' },
    response: { recoveryCodes: ['k3x9-w0a1', 'b2c3-d4e5'] },
  },
})

export const submitMfaCode = endpoint({
  id: 'submitMfaCode',
  summary:
    'Checks a one-time code. With a credential: confirms the enrolment begun by POST /v2/user/mfa. With ' +
    '`interaction`: continues a sign-in whose password was right, at the `url` of the answer.',
  service: 'api-gateway',
  credential: 'optional',
  interactive: true,
  method: 'post',
  path: '/v2/login/mfa',
  body: z.strictObject({
    totp: z.string().trim().min(6).max(20).describe('Six digits of the authenticator, or a recovery code.'),
    interaction: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}$/)
      .optional()
      .describe('The sign-in that waits for the code.'),
  }),
  response: z.object({
    success: z.boolean(),
    url: z.string().optional().describe('Where the browser goes on with its sign-in.'),
    recoveryCodes: RecoveryCodes.optional(),
  }),
  limits: ['secondFactor', 'secondFactorAddress', 'secondFactorDay'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'MissingMFA',
    'TooManyRequests',
  ],
  example: { request: { totp: '123456' }, response: { success: true, recoveryCodes: ['k3x9-w0a1'] } },
})

export const gatewayMfaFailed = event({
  type: 'gateway.mfa.failed',
  emittedWhen: 'A one-time code was wrong.',
  payload: z.object({ ip: z.string(), email: z.string() }),
})
