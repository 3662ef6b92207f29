import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleInstant } from './example-values.ts'
import { paging } from './paging.ts'
import { NewSubscription, Subscription, SubscriptionChange, subscriptionWarnings } from './subscription.ts'

const path = '/v2/workspaces/:workspaceId/subscriptions' as const
const onePath = '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId' as const
const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
] as const
const asked = { service: 'events', credential: 'required' } as const
const secret = z.string().describe('whsec_…, shown here only: what every delivery is signed with.')

const exampleRequest = {
  url: 'https://hooks.example.com/orders',
  name: 'Orders',
  events: ['order.*'],
  filter: { 'payload.order.city': ['Lyon', 'Lille'] },
}
const exampleSubscription = {
  ...exampleRequest,
  id: exampleId,
  active: true,
  pausedReason: null,
  pausedAt: null,
  failingSince: null,
  ordered: false,
  maxConcurrency: 5,
  headers: ['x-tenant'],
  previousSecretUntil: null,
  createdBy: exampleId,
  updatedBy: exampleId,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
}
const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

export const listSubscriptions = endpoint({
  ...asked,
  id: 'listSubscriptions',
  summary: 'A page of the webhook subscriptions of a workspace, newest first.',
  scope: 'events:read',
  permission: { action: 'read', on: 'workspaces' },
  method: 'get',
  path,
  query: z.strictObject(paging),
  response: z.array(Subscription),
  failures,
  example: { response: [exampleSubscription] },
})

export const createSubscription = endpoint({
  ...asked,
  id: 'createSubscription',
  summary: 'Subscribes a URL to the events of a workspace from now on; they are POSTed as Standard Webhooks.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path,
  body: NewSubscription,
  response: Subscription.extend({ secret, warnings: subscriptionWarnings }),
  idempotent: 'secret',
  failures,
  example: { request: exampleRequest, response: { ...exampleSubscription, secret: exampleSecret } },
})

export const getSubscription = endpoint({
  ...asked,
  id: 'getSubscription',
  summary: 'One webhook subscription.',
  scope: 'events:read',
  permission: { action: 'read', on: 'workspaces' },
  method: 'get',
  path: onePath,
  response: Subscription,
  etag: true,
  failures,
  example: { response: exampleSubscription },
})

export const patchSubscription = endpoint({
  ...asked,
  id: 'patchSubscription',
  summary: 'Changes what is given of a webhook subscription; headers are replaced as a whole.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'patch',
  path: onePath,
  body: SubscriptionChange,
  response: Subscription.extend({ warnings: subscriptionWarnings }),
  etag: true,
  failures: [...failures, 'PreconditionFailed'],
  example: { request: { events: ['order.placed'] }, response: exampleSubscription },
})

export const deleteSubscription = endpoint({
  ...asked,
  id: 'deleteSubscription',
  summary:
    'Deletes a webhook subscription; nothing more is sent, and its deliveries can not be seen any more.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'delete',
  path: onePath,
  response: z.object({ id: z.string() }),
  etag: true,
  failures: [...failures, 'PreconditionFailed'],
  example: { response: { id: exampleId } },
})

export const rotateSubscriptionSecret = endpoint({
  ...asked,
  id: 'rotateSubscriptionSecret',
  summary:
    'Makes a new signing secret. For 24 hours the one before signs as well: two signatures, space-separated.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/rotate-secret',
  response: Subscription.extend({ secret }),
  idempotent: 'secret',
  failures,
  example: { response: { ...exampleSubscription, secret: exampleSecret } },
})

export const pauseSubscription = endpoint({
  ...asked,
  id: 'pauseSubscription',
  summary:
    'Sends nothing more until it is resumed. Events of the pause are not collected: replay brings them.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/pause',
  response: Subscription,
  failures,
  example: { response: { ...exampleSubscription, active: false, pausedReason: 'manual' } },
})

export const resumeSubscription = endpoint({
  ...asked,
  id: 'resumeSubscription',
  summary: 'Sends again: first what waited when it was paused, then every event from now on.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/resume',
  response: Subscription,
  failures,
  example: { response: exampleSubscription },
})

export const replaySubscription = endpoint({
  ...asked,
  id: 'replaySubscription',
  summary:
    'Delivers the kept events of a stretch of time again, in the background, with the same webhook-id as ' +
    'before; at most 100,000.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/replay',
  body: z.strictObject({
    from: z
      .union(
        [z.uuid(), z.iso.datetime({ offset: true })],
        'must be the id of an event, or an instant such as 2026-01-31T10:00:00Z',
      )
      .describe('An event or an instant; inclusive.'),
    to: z.iso.datetime({ offset: true }).optional().describe('An instant, exclusive; now without it.'),
  }),
  idempotent: 'answer',
  response: z.object({ id: z.string(), state: z.literal('running') }),
  status: 202,
  failures: [...failures, 'ResourceLocked', 'ServiceUnavailable'],
  example: { request: { from: exampleInstant }, response: { id: exampleId, state: 'running' } },
})

/** The type of what `POST …/test` sends; never kept in the log. */
export const WEBHOOK_TEST_TYPE = 'webhook.test'
