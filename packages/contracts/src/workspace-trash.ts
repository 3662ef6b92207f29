import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleWorkspace } from './example-values.ts'
import { Workspace, WorkspaceSlug } from './workspaces.ts'

export const restoreWorkspace = endpoint({
  id: 'restoreWorkspace',
  summary:
    'Takes a deleted workspace out of the trash, with everything in it (its owners and super administrators).',
  service: 'workspaces',
  credential: 'required',
  caller: 'user',
  scope: 'workspaces:write',
  method: 'post',
  path: '/v2/workspaces/:workspaceId/restore',
  body: z
    .strictObject({
      slug: WorkspaceSlug.optional().describe('Another slug, where the old one is taken by now.'),
    })
    .optional(),
  response: Workspace,
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'ObjectNotFoundError',
    'AlreadyUsed',
  ],
  example: { request: { slug: 'my-shop' }, response: exampleWorkspace },
})

export const workspaceRestored = event({
  type: 'workspaces.restored',
  emittedWhen: 'A deleted workspace has been taken out of the trash.',
  payload: z.object({ workspaceId: z.string(), name: z.string(), workspaceSlug: z.string() }),
})
