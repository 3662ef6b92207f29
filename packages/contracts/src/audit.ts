import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleHash, exampleId, exampleInstant } from './example-values.ts'

/** Everything that is written into the audit trail. */
export const auditActions = [
  'session.started',
  'session.refused',
  'session.ended',
  'mfa.enabled',
  'mfa.disabled',
  'mfa.refused',
  'mfa.recoveryCodeUsed',
  'mfa.recoveryCodesRenewed',
  'mfa.codesRefusedForToday',
  'account.created',
  'account.validated',
  'account.updated',
  'account.deactivated',
  'account.roleChanged',
  'account.deleted',
  'password.changed',
  'accessToken.created',
  'accessToken.revoked',
  'apiKey.created',
  'apiKey.updated',
  'apiKey.deleted',
  'signingKey.published',
  'signingKey.rotated',
  'signingKey.removed',
  'masterKey.resealed',
  'authProvider.changed',
  'oidcClient.registered',
  'oidcClient.changed',
  'events.cleaned',
  'events.deleted',
  'subscription.tested',
  'run.cancelled',
  'run.retried',
  'run.replayed',
  'run.forked',
  'runs.changed',
  'functions.changed',
  'secrets.changed',
  'workspace.suspended',
  'workspace.resumed',
] as const

/** One row of the audit trail. */
export const AuditEntry = z.object({
  sequence: z.number().int().describe('1, 2, 3 … without a gap.'),
  at: z.iso.datetime(),
  action: z.enum(auditActions),
  actor: z.string().describe('user:<id>, apiKey:<id>, client:<id>, platform or nobody.'),
  subject: z.string().describe('What it happened to, as <kind>:<id>.'),
  ip: z.string().nullable(),
  correlationId: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  hash: z.string().describe('SHA-256 over the row and the hash of the row before it.'),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const failures = ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'] as const
const position = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

export const listAudit = endpoint({
  id: 'listAudit',
  summary: 'The audit trail, newest first (super administrators).',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/audit',
  query: z.strictObject({
    before: position.optional().describe('Only rows before this sequence.'),
    limit: position.refine((n) => n >= 1 && n <= 500, 'must be 1 to 500').default(50),
    action: z.enum(auditActions).optional(),
    subject: z.string().max(300).optional(),
    actor: z.string().max(300).optional(),
  }),
  response: z.array(AuditEntry),
  failures,
  example: {
    response: [
      {
        sequence: 42,
        at: exampleInstant,
        action: 'session.started',
        actor: `user:${exampleId}`,
        subject: `user:${exampleId}`,
        ip: '203.0.113.7',
        correlationId: exampleId,
        details: { via: 'password' },
        hash: exampleHash,
      },
    ],
  },
})

export const verifyAudit = endpoint({
  id: 'verifyAudit',
  summary:
    'Recomputes the chain of the audit trail and names the first broken row. With `head`, a hash noted before, ' +
    'it also proves that nothing was cut off since.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/audit/verification',
  query: z.strictObject({
    head: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')
      .optional(),
  }),
  response: z.object({
    intact: z.boolean(),
    entries: z.number().int(),
    head: z.string().nullable().describe('The hash of the newest row: note it, and give it next time.'),
    broken: z
      .object({ sequence: z.number().int(), reason: z.string() })
      .nullable()
      .describe('The first row that does not fit.'),
  }),
  failures,
  example: { response: { intact: true, entries: 42, head: exampleHash, broken: null } },
})
