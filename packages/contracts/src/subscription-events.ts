import { z } from 'zod'
import { event } from './event.ts'

export const subscriptionPaused = event({
  type: 'workspaces.subscriptions.paused',
  emittedWhen:
    'The platform paused a webhook subscription: its endpoint is gone, or all deliveries failed for too long.',
  payload: z.object({
    subscriptionId: z.string(),
    name: z.string(),
    host: z.string().describe('Host of the endpoint.'),
    reason: z.enum(['gone', 'failing']),
    failingSince: z.string(),
    createdBy: z.string(),
  }),
})
