import { z } from 'zod'
import { event } from '../event.ts'
import { number, open, text } from './field.ts'

/** Access of principals to single resources, managed beside roles and rules. */
export const accessManagerEvents = {
  bindingsCreated: event({
    type: 'access-manager.bindings.created',
    emittedWhen: 'Somebody was given access to a resource.',
    payload: z.looseObject({
      workspaceId: text,
      workspaceSlug: text.optional(),
      resourceType: text,
      resourceId: text,
      principalType: text,
      principalId: text,
      orgSlug: text,
      grantedBy: text,
    }),
  }),
  bindingsDeleted: event({
    type: 'access-manager.bindings.deleted',
    emittedWhen: 'Access to resources was taken away.',
    payload: z.looseObject({
      workspaceId: text,
      workspaceSlug: text.optional(),
      query: open.optional(),
      deletedCount: number.optional(),
    }),
  }),
} as const
