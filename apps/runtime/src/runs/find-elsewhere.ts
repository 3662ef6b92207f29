import { type Principal, viaOf } from '@platform/auth'
import { Failure } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import type { CallElsewhere, CalledElsewhere } from '../automations/model.ts'
import { requireActive } from '../automations/suspension.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { RefusedAutomations } from '../processes/refused-automations.ts'

interface Deps {
  readonly definitions: Pick<Definitions, 'find'>
  readonly permissions: Pick<Permissions, 'require'>
  readonly refused: Pick<RefusedAutomations, 'require'>
}

/**
 * The automation of another workspace that a run may call: one whose address everybody may call, or one that the user
 * of the run may execute there by a role. Private ones are hidden from all other workspaces. Throws
 * ObjectNotFoundError, the same for what is not there and for what is not for this run.
 */
export const findElsewhere =
  ({ definitions, permissions, refused }: Deps) =>
  async (call: CallElsewhere): Promise<CalledElsewhere> => {
    const workspace = await definitions.find(call.workspace)
    const automation = await workspace?.find(call.automationSlug)
    if (workspace === undefined || automation === undefined) throw notFound(call)
    if (automation.disabled || automation.isPrivate) throw notFound(call)
    const asked = { type: 'automations', workspace: workspace.id } as const
    const { by } = await permissions.require(principalOf(call), 'execute', asked)
    const isPublic = automation.action === undefined && workspace.endpoints.has(automation.slug)
    if (by === 'everybody' && !isPublic) throw notFound(call)
    requireActive(workspace)
    refused.require(workspace.id, automation)
    const { slug } = automation
    return { workspaceId: workspace.id, automationSlug: slug, priority: workspace.priorityOf(slug) }
  }

/** Whoever the run acts for, without the power of an administrator. */
function principalOf({ caller: { subject, workspaceId } }: CallElsewhere): Principal | undefined {
  const { userId, sessionId = '', email, anonymous = false } = subject
  if (userId === undefined || subject.isAgain === true) return undefined
  return {
    kind: 'user',
    userId,
    sessionId,
    via: viaOf(sessionId),
    anonymous,
    superAdmin: false,
    scopes: ['webhooks'],
    clientId: undefined,
    email,
    apiKeyId: undefined,
    lentTo: workspaceId,
  }
}

const notFound = ({ workspace, automationSlug }: CallElsewhere) =>
  new Failure(
    'ObjectNotFoundError',
    `There is no automation "${automationSlug.slice(0, 100)}" in the workspace "${workspace.slice(0, 100)}" that ` +
      'this run may call: it must have an address that everybody may call, or the user of the run a role there.',
  )
