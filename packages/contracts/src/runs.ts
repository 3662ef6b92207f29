import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'

export const TriggerType = z.enum(['event', 'endpoint', 'schedule', 'automation'])

/** An automation has run. */
export const automationExecuted = event({
  type: 'runtime.automations.executed',
  emittedWhen: 'An automation has run.',
  payload: z.object({
    slug: z.string(),
    trigger: z.object({ type: z.string(), value: z.string(), id: z.string().optional() }),
    payload: z.unknown(),
    output: z.unknown().optional(),
    duration: z.number().describe('Milliseconds.'),
    throttled: z.number().optional().describe('Milliseconds the run was held back by a limit.'),
    startedAt: z.string(),
    break: z.boolean(),
    error: z.object({ error: z.string(), message: z.string(), details: z.unknown().optional() }).optional(),
  }),
})

export const webhookTriggered = event({
  type: 'runtime.webhooks.triggered',
  emittedWhen: 'A URL trigger has been called and the workspace listens to this event.',
  payload: z.object({ workspaceId: z.string(), automationSlug: z.string(), method: z.string() }),
})

export const callWebhook = endpoint({
  id: 'callWebhook',
  summary:
    'Runs the automation behind a URL trigger, with any verb; answers its output, or what it makes of `$http`: ' +
    'another status, headers, bytes or a stream of server-sent events. `Idempotency-Key` is ' +
    'honoured where the automation says `when.endpoint: { idempotent: true }` or `durable: true`; it is passed on in ' +
    'any case. `X-Platform-Run-Id` of the answer names the run, also where it failed.',
  service: 'runtime',
  credential: 'optional',
  scope: 'webhooks',
  receiver: true,
  method: 'all',
  path: '/v2/workspaces/:workspaceId/webhooks/*path',
  bodyKind: 'bytes',
  // Room for files in a multipart form; every other body stays within the usual limit.
  bodyLimitBytes: 11_000_000,
  body: z.unknown(),
  query: z.unknown(),
  response: z.unknown(),
  idempotent: 'declared',
  limits: ['webhooks'],
  failures: [
    'RequestValidationError',
    'InvalidArgumentsError',
    'InvalidInstructionError',
    'InvalidExpressionSyntax',
    'TooManyCallError',
    'WorkflowTimeoutError',
    'ForbiddenError',
    'SuspendedWorkspaceError',
    'ObjectNotFoundError',
    'ServiceUnavailable',
    'TooManyRequests',
  ],
  mediaTypes: ['application/json', '*/*'],
  example: { request: { name: 'Ada' }, response: 'Hello Ada' },
})

export const testAutomation = endpoint({
  id: 'testAutomation',
  summary:
    'Runs an automation with a payload, for whoever edits the workspace. `X-Platform-Run-Id` of the answer names the ' +
    'run, also where it failed.',
  service: 'runtime',
  credential: 'required',
  scope: 'webhooks',
  permission: { action: 'test', on: 'automations' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/test/*automationSlug',
  body: z.strictObject({ payload: z.record(z.string(), z.unknown()).optional() }),
  response: z.unknown(),
  limits: ['webhooks'],
  failures: [
    'RequestValidationError',
    'InvalidInstructionError',
    'AuthenticationError',
    'ForbiddenError',
    'SuspendedWorkspaceError',
    'ObjectNotFoundError',
    'ServiceUnavailable',
    'TooManyRequests',
  ],
  example: { request: { payload: { name: 'Ada' } }, response: 'Hello Ada' },
})
