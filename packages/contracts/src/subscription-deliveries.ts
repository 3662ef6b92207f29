import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleEvent, exampleId, exampleInstant } from './example-values.ts'
import { paging } from './paging.ts'

/** `pending` waits for its first or next try, `dead` was given up after 24 hours of tries: the dead-letter list. */
export const DeliveryStatus = z.enum(['pending', 'delivered', 'dead'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/**
 * How one try ended: answered 2xx, answered anything else, not in time, not reached, or not called because the
 * address is not allowed or the event is not for it.
 */
export const TryOutcome = z.enum(['delivered', 'refused', 'timeout', 'unreachable', 'blocked'])
export type TryOutcome = z.infer<typeof TryOutcome>

/** An event on its way to a subscriber. Its id is the `webhook-id` of every try. */
export const SubscriptionDelivery = z.object({
  id: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  status: DeliveryStatus,
  tries: z.number(),
  nextTryAt: z.iso.datetime().nullable(),
  lastStatus: z.number().nullable().describe('HTTP status of the last try.'),
  lastError: z.string().nullable(),
  createdAt: z.iso.datetime(),
  deliveredAt: z.iso.datetime().nullable(),
})
export type SubscriptionDelivery = z.infer<typeof SubscriptionDelivery>

/** One try, kept for 30 days: at most 2 KB of what was sent and answered, without secrets. */
export const DeliveryTry = z.object({
  at: z.iso.datetime(),
  durationMs: z.number(),
  outcome: TryOutcome,
  status: z.number().nullable(),
  error: z.string().nullable(),
  request: z.string(),
  response: z.string().nullable(),
})
export type DeliveryTry = z.infer<typeof DeliveryTry>

const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
] as const
const asked = { service: 'events', credential: 'required', failures } as const

const exampleDelivery = {
  id: exampleId,
  eventId: exampleEvent.id,
  eventType: exampleEvent.type,
  status: 'dead',
  tries: 14,
  nextTryAt: null,
  lastStatus: 503,
  lastError: 'The endpoint answered 503.',
  createdAt: exampleInstant,
  deliveredAt: null,
}
const exampleTry = {
  at: exampleInstant,
  durationMs: 41,
  outcome: 'refused',
  status: 503,
  error: 'The endpoint answered 503.',
  request: '{"type":"order.placed",…',
  response: 'down for maintenance',
}

export const listSubscriptionDeliveries = endpoint({
  ...asked,
  id: 'listSubscriptionDeliveries',
  summary: 'Deliveries of a subscription, newest event first; `status=dead` is the dead-letter list.',
  scope: 'events:read',
  permission: { action: 'read', on: 'workspaces' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/deliveries',
  query: z.strictObject({
    limit: paging.limit,
    status: DeliveryStatus.optional(),
    beforeId: z
      .uuid()
      .optional()
      .describe('Deliveries before this one; the Link header holds the next page.'),
  }),
  response: z.array(SubscriptionDelivery),
  example: { response: [exampleDelivery] },
})

export const getSubscriptionDelivery = endpoint({
  ...asked,
  id: 'getSubscriptionDelivery',
  summary: 'One delivery with its tries, oldest first, at most 100.',
  scope: 'events:read',
  permission: { action: 'read', on: 'workspaces' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/deliveries/:deliveryId',
  response: SubscriptionDelivery.extend({ log: z.array(DeliveryTry) }),
  example: { response: { ...exampleDelivery, log: [exampleTry] } },
})

export const redeliverSubscriptionDelivery = endpoint({
  ...asked,
  id: 'redeliverSubscriptionDelivery',
  summary: 'Sends a delivery again at once, whatever became of it, with the same webhook-id and new tries.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/deliveries/:deliveryId/redeliver',
  idempotent: 'answer',
  response: SubscriptionDelivery,
  status: 202,
  example: { response: { ...exampleDelivery, status: 'pending', tries: 0 } },
})

export const testSubscription = endpoint({
  ...asked,
  id: 'testSubscription',
  summary:
    'Sends an event of type webhook.test now and answers within three seconds how it went; it is not kept, and ' +
    'a paused subscription is tested too.',
  scope: 'events:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/subscriptions/:subscriptionId/test',
  idempotent: 'answer',
  limits: ['webhookTest'],
  failures: [...failures, 'TooManyRequests'],
  response: DeliveryTry.extend({ id: z.string().describe('The webhook-id that was sent.') }),
  example: { response: { ...exampleTry, id: exampleId } },
})
