import { z } from 'zod'
import { Instruction, When } from './automation-triggers.ts'
import { durability, savedDurability } from './durability.ts'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleAutomation, exampleAutomationInput, exampleListedAutomation } from './example-values.ts'
import { paging } from './paging.ts'
import { Label, LocalizedText } from './workspaces.ts'

/** Slug of an automation: its identity in URLs, events and calls. */
export const AutomationSlug = z
  .string()
  .regex(/^[/a-zA-Z0-9 _-]{1,100}$/, 'must be 1–100 characters of [/a-zA-Z0-9 _-]')

const editable = {
  name: LocalizedText,
  description: LocalizedText.nullish(),
  when: When.nullish(),
  arguments: z.record(z.string(), z.unknown()).nullish().describe('Name → JSON schema.'),
  schemas: z
    .array(
      z.strictObject({
        conditions: z.record(z.string(), z.unknown()).optional(),
        payload: z.unknown().optional(),
        output: z.unknown().optional(),
      }),
    )
    .optional(),
  validateArguments: z.boolean().optional(),
  private: z.boolean().optional(),
  disabled: z.boolean().optional(),
  labels: z.array(Label).max(50).nullish(),
  authorizations: z.strictObject({ action: z.string().max(100).optional() }).nullish(),
  output: z.unknown().optional().describe('Evaluated after `do`; the answer of the automation.'),
}

export const AutomationInput = z.strictObject({
  slug: AutomationSlug.optional(),
  ...editable,
  ...durability,
  name: LocalizedText.optional().describe('The slug when there is none.'),
  do: z.array(Instruction).optional(),
})
export type AutomationInput = z.infer<typeof AutomationInput>

export const AutomationPatch = z.strictObject({
  slug: AutomationSlug.optional(),
  ...editable,
  ...durability,
  name: LocalizedText.optional(),
  do: z.array(Instruction).optional(),
})
export type AutomationPatch = z.infer<typeof AutomationPatch>

/** The definition as it is kept and as the runtime reads it. */
export const AutomationDefinition = z.object({
  slug: z.string(),
  ...editable,
  ...savedDurability,
  do: z.array(Instruction).optional(),
})
export type AutomationDefinition = z.infer<typeof AutomationDefinition>

export const Warning = z.object({ path: z.string(), message: z.string() })

export const Automation = AutomationDefinition.extend({
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string(),
  updatedBy: z.string(),
  checksum: z.string(),
  warnings: z.array(Warning).optional().describe('What was saved but will not run as written.'),
})
export type Automation = z.infer<typeof Automation>

/**
 * The definition as its events carry it. One that is larger than an event may be is only named; read it through the
 * API.
 */
const AnnouncedAutomation = AutomationDefinition.extend({
  truncated: z.boolean().optional().describe('true: too large for an event; only slug and name are here.'),
  size: z.number().optional().describe('UTF-16 length of the JSON text that was left out.'),
})

const failures = [
  'RequestValidationError',
  'InvalidAutomation',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
  'PreconditionFailed',
  'UnsupportedMediaType',
] as const

const collection = '/v2/workspaces/:workspaceId/automations'
const single = '/v2/workspaces/:workspaceId/automations/*automationSlug'
const of = { service: 'workspaces', credential: 'required' } as const

export const createAutomation = endpoint({
  ...of,
  id: 'createAutomation',
  summary: 'Creates an automation from JSON or YAML; every problem is named with line, column and path.',
  scope: 'workspaces:write',
  permission: { action: 'create', on: 'automations' },
  method: 'post',
  path: collection,
  bodyKind: 'automation',
  body: AutomationInput,
  response: Automation,
  idempotent: 'answer',
  failures: [...failures, 'AlreadyUsed'],
  example: { request: exampleAutomationInput, response: exampleAutomation },
})

export const listAutomations = endpoint({
  ...of,
  id: 'listAutomations',
  summary: 'A page of the automations of a workspace, oldest first, without their instructions.',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  path: collection,
  query: z.strictObject(paging),
  response: z.array(Automation.omit({ do: true, warnings: true })),
  failures,
  example: { response: [exampleListedAutomation] },
})

export const getAutomation = endpoint({
  ...of,
  id: 'getAutomation',
  summary:
    'Reads an automation. With `Accept: application/yaml` one that was saved as YAML is answered as the text that ' +
    'was sent.',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  path: single,
  response: Automation,
  mediaTypes: ['application/json', 'application/yaml'],
  etag: true,
  failures,
  example: { response: exampleAutomation },
})

export const patchAutomation = endpoint({
  ...of,
  id: 'patchAutomation',
  summary: 'Changes the given fields of an automation; another slug renames it.',
  scope: 'workspaces:write',
  permission: { action: 'update', on: 'automations' },
  method: 'patch',
  path: single,
  bodyKind: 'automation',
  body: AutomationPatch,
  response: Automation,
  etag: true,
  failures: [...failures, 'AlreadyUsed'],
  example: {
    request: { description: 'Greets whoever calls.' },
    response: { ...exampleAutomation, description: 'Greets whoever calls.' },
  },
})

export const deleteAutomation = endpoint({
  ...of,
  id: 'deleteAutomation',
  summary: 'Deletes an automation.',
  scope: 'workspaces:write',
  permission: { action: 'delete', on: 'automations' },
  method: 'delete',
  path: single,
  response: z.object({ slug: z.string() }),
  etag: true,
  failures,
  example: { response: { slug: 'greet' } },
})

export const automationCreated = event({
  type: 'workspaces.automations.created',
  emittedWhen: 'An automation has been created.',
  payload: z.object({ slug: z.string(), automation: AnnouncedAutomation }),
})

export const automationUpdated = event({
  type: 'workspaces.automations.updated',
  emittedWhen: 'An automation has changed.',
  payload: z.object({ slug: z.string(), oldSlug: z.string().optional(), automation: AnnouncedAutomation }),
})

export const automationDeleted = event({
  type: 'workspaces.automations.deleted',
  emittedWhen: 'An automation has been deleted.',
  payload: z.object({ automationSlug: z.string() }),
})
