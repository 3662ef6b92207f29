import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Makes the workspace a newcomer starts with (decisions I16); asked for again, it answers the one there is. */
export const createSampleWorkspace = endpoint({
  id: 'createSampleWorkspace',
  summary: 'Creates the sample workspace of the first administrator, once.',
  service: 'workspaces',
  credential: 'internal',
  method: 'post',
  path: '/sys/sample-workspace',
  body: z.strictObject({ ownerId: z.string().min(1).max(200) }),
  response: z.object({
    id: z.string(),
    slug: z.string(),
    created: z.boolean().describe('false when it was made before, even if it is deleted by now.'),
  }),
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'],
})
