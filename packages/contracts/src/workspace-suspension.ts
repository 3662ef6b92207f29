import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleInstant } from './example-values.ts'

/** Whether the automations of a workspace run. */
export const WorkspaceSuspension = z.object({
  workspaceId: z.string(),
  suspended: z.boolean(),
  reason: z.string().describe('For whoever calls or reads the workspace; empty while it is not suspended.'),
  suspendedAt: z.iso.datetime().nullable(),
  suspendedBy: z.string().nullable().describe('The super administrator, or platform.'),
})
export type WorkspaceSuspension = z.infer<typeof WorkspaceSuspension>

const of = {
  service: 'workspaces',
  credential: 'required',
  caller: 'superAdmin',
  permission: { action: 'manage', on: 'workspaces' },
  path: '/v2/platform/workspaces/:workspaceId/suspension',
  response: WorkspaceSuspension,
  etag: true,
} as const
const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'ObjectNotFoundError',
  'PreconditionFailed',
] as const

const example = {
  workspaceId: 'k3x9w0a1b2c3d4e5',
  suspended: true,
  reason: 'It floods a partner with requests.',
  suspendedAt: exampleInstant,
  suspendedBy: exampleId,
}

export const getSuspension = endpoint({
  ...of,
  id: 'getSuspension',
  summary: 'Whether a workspace is suspended, since when and why (super administrators).',
  method: 'get',
  failures,
  example: { response: example },
})

export const putSuspension = endpoint({
  ...of,
  id: 'putSuspension',
  summary:
    'Suspends a workspace, or lifts that (super administrators). While it is suspended nothing of it is executed: ' +
    'calls answer 403, events and schedules start nothing, and runs fail at their next instruction, from where they ' +
    'are retried later. It is read and edited as before.',
  method: 'put',
  shedExempt: true,
  body: z
    .strictObject({
      suspended: z.boolean(),
      reason: z.string().trim().max(500).optional().describe('Shown to whoever calls the workspace.'),
    })
    .refine(({ suspended, reason }) => !suspended || (reason ?? '') !== '', {
      path: ['reason'],
      message: 'is required: whoever calls the workspace is told it',
    }),
  failures,
  example: { request: { suspended: true, reason: example.reason }, response: example },
})
