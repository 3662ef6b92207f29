import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleWorkspace } from './example-values.ts'
import { paging } from './paging.ts'

export const LocalizedText = z.union([
  z.string().max(10_000),
  z.record(z.string().min(2).max(10), z.string().max(10_000)),
])
export type LocalizedText = z.infer<typeof LocalizedText>

export const Label = z.string().regex(/^[0-9A-Za-z._:-]{2,60}$/, 'must be 2–60 characters of [0-9A-Za-z._:-]')

export const WorkspaceName = z
  .string()
  .regex(
    /^(?=.*[^ ])[0-9A-Za-zÀ-ÖØ-öø-ÿ ,.'-]{1,60}$/,
    "must be 1–60 letters, digits, spaces or , . ' -, not only spaces",
  )

export const WorkspaceSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'must be 1–60 characters of [a-z0-9-]')

export const WorkspaceConfig = z.strictObject({
  schema: z.unknown().optional(),
  block: z.string().max(200).optional(),
  value: z.record(z.string(), z.unknown()).optional().describe('The values automations read as config.*'),
})
export type WorkspaceConfig = z.infer<typeof WorkspaceConfig>

const editable = {
  name: WorkspaceName,
  description: LocalizedText.optional(),
  photo: z.string().max(2000).optional(),
  slug: WorkspaceSlug.optional(),
  labels: z.array(Label).max(50).optional(),
  config: WorkspaceConfig.optional(),
}

export const WorkspaceInput = z.strictObject(editable)
export type WorkspaceInput = z.infer<typeof WorkspaceInput>

export const WorkspacePatch = z.strictObject({ ...editable, name: WorkspaceName.optional() })
export type WorkspacePatch = z.infer<typeof WorkspacePatch>

export const Workspace = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: LocalizedText.optional(),
  photo: z.string().optional(),
  labels: z.array(z.string()).optional(),
  config: WorkspaceConfig.optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string(),
  updatedBy: z.string(),
})
export type Workspace = z.infer<typeof Workspace>

/** Entry of the automations index of a workspace. */
export const AutomationMeta = z.looseObject({ name: LocalizedText, slug: z.string() })

export const WorkspaceDetails = Workspace.extend({
  suspension: z
    .object({ reason: z.string(), suspendedAt: z.iso.datetime() })
    .optional()
    .describe('An operator has suspended the workspace: nothing of it is executed.'),
  automations: z.record(z.string(), AutomationMeta).describe('By slug.'),
})
export type WorkspaceDetails = z.infer<typeof WorkspaceDetails>

export const ListedWorkspace = Workspace.omit({ config: true }).extend({
  deletedAt: z.iso.datetime().optional(),
})
export type ListedWorkspace = z.infer<typeof ListedWorkspace>

/** The workspace as its events carry it. */
const AnnouncedWorkspace = Workspace.extend({
  truncated: z
    .boolean()
    .optional()
    .describe('true: too large for an event; description, photo, labels and config are left out.'),
})

const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
  'PreconditionFailed',
] as const

const { config: _, ...exampleListed } = exampleWorkspace

export const createWorkspace = endpoint({
  id: 'createWorkspace',
  summary: 'Creates a workspace; the caller becomes its owner.',
  service: 'workspaces',
  credential: 'required',
  caller: 'account',
  scope: 'workspaces:write',
  method: 'post',
  path: '/v2/workspaces',
  body: WorkspaceInput,
  response: Workspace,
  idempotent: 'answer',
  limits: ['createWorkspace'],
  failures: [...failures, 'AlreadyUsed', 'TooManyRequests'],
  example: {
    request: { name: 'My shop', labels: ['sales'], config: { value: { currency: 'EUR' } } },
    response: exampleWorkspace,
  },
})

const flag = z.enum(['true', 'false']).optional()

export const listWorkspaces = endpoint({
  id: 'listWorkspaces',
  summary: 'The workspaces the caller may read, last changed first unless sorted otherwise.',
  service: 'workspaces',
  credential: 'required',
  caller: 'user',
  scope: 'workspaces:read',
  method: 'get',
  path: '/v2/workspaces',
  query: z.strictObject({
    ...paging,
    name: z.string().max(60).optional(),
    slug: z.string().max(60).optional(),
    search: z.string().max(100).optional().describe('Part of the name, the slug or a label.'),
    labels: z.string().max(1000).optional().describe('Comma-separated; all must be there.'),
    ids: z.string().max(2000).optional().describe('Comma-separated.'),
    email: z.string().max(254).optional().describe('Those the person with this address is a member of.'),
    owned: flag.describe('true: those the caller owns; false: those of others.'),
    dirty: flag.describe(
      'true: those changed since they were last pushed; none are while nothing can be pushed.',
    ),
    sort: z
      .string()
      .regex(
        /^(-?(name|slug|createdAt|updatedAt)|(name|slug|createdAt|updatedAt):(asc|desc))$/,
        'must be name, slug, createdAt or updatedAt, from last to first with a minus before it',
      )
      .default('-updatedAt')
      .describe('name, slug, createdAt or updatedAt; `-name` and `name:desc` sort from last to first.'),
    deleted: flag.describe('true: those the caller may restore, last deleted first.'),
  }),
  response: z.array(ListedWorkspace),
  failures,
  example: { response: [exampleListed] },
})

export const getWorkspace = endpoint({
  id: 'getWorkspace',
  summary: 'Reads a workspace with the index of its automations.',
  service: 'workspaces',
  credential: 'required',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'workspaces' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId',
  response: WorkspaceDetails,
  etag: true,
  failures,
  example: { response: { ...exampleWorkspace, automations: { greet: { name: 'Greet', slug: 'greet' } } } },
})

export const patchWorkspace = endpoint({
  id: 'patchWorkspace',
  summary: 'Changes the given fields of a workspace.',
  service: 'workspaces',
  credential: 'required',
  scope: 'workspaces:write',
  permission: { action: 'update', on: 'workspaces' },
  method: 'patch',
  path: '/v2/workspaces/:workspaceId',
  body: WorkspacePatch,
  response: Workspace,
  etag: true,
  failures: [...failures, 'AlreadyUsed'],
  example: { request: { name: 'My shop' }, response: exampleWorkspace },
})

export const deleteWorkspace = endpoint({
  id: 'deleteWorkspace',
  summary: 'Deletes a workspace; it can be restored for WORKSPACE_TRASH_DAYS.',
  service: 'workspaces',
  credential: 'required',
  scope: 'workspaces:write',
  permission: { action: 'delete', on: 'workspaces' },
  method: 'delete',
  path: '/v2/workspaces/:workspaceId',
  response: z.object({ id: z.string() }),
  etag: true,
  failures,
  example: { response: { id: 'k3x9w0a1b2c3d4e5' } },
})

export const workspaceCreated = event({
  type: 'workspaces.created',
  emittedWhen: 'A workspace has been created.',
  payload: z.object({ workspace: AnnouncedWorkspace }),
})

export const workspaceUpdated = event({
  type: 'workspaces.updated',
  emittedWhen: 'Fields of a workspace have changed.',
  payload: z.object({ workspace: AnnouncedWorkspace, oldSlug: z.string().optional() }),
})

export const workspaceDeleted = event({
  type: 'workspaces.deleted',
  emittedWhen: 'A workspace has been deleted.',
  payload: z.object({ workspaceId: z.string(), name: z.string(), workspaceSlug: z.string() }),
})

/** Makes the workspace a newcomer starts with; asked for again, it answers the one there is. */
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
