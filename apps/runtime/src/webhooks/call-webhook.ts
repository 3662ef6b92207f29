import type { Principal } from '@platform/auth'
import { type EventRecord, callWebhook as endpoint, webhookTriggered } from '@platform/contracts'
import { parseQuery, type RequestInfo, respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import { runSubjectOf } from '../automations/caller.ts'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { RunNow } from '../runs/run-now.ts'
import { readPayload } from './read-payload.ts'
import { shownHeaders } from './shown-headers.ts'

interface Deps {
  readonly definitions: Definitions
  readonly permissions: Permissions
  readonly runNow: RunNow
  /** Issuer of our own tokens, which no automation may see. */
  readonly issuer: string
}

/** Where a URL leads. */
interface Target {
  readonly workspace: CompiledWorkspace
  readonly automation: CompiledAutomation
  readonly pathParams: Readonly<Record<string, string>>
}

export const callWebhook = (deps: Deps) =>
  route(endpoint, {
    async admit({ params, principal }) {
      const target = await findTarget(deps.definitions, params.workspaceId, params.path)
      const { workspace, automation } = target
      if (automation.action !== undefined) await requireMember(deps.permissions, principal, workspace.id)
      return target
    },
    isIdempotent: ({ automation }) => automation.idempotent,
    async handle({ params, body, principal, request, admitted: target }) {
      const { workspace, automation } = target
      const payload = await payloadOf(target, request, body as Buffer, deps.issuer)

      const running = deps.runNow({
        workspace,
        automation,
        payload,
        subject: runSubjectOf(principal, request.clientIp),
        correlationId: request.correlationId,
        triggerValue: params.path,
        deadlineAt: request.deadlineAt,
        events: triggeredEvents(target, request),
      })

      if (automation.idempotent) return await running.then(answerOf, answerOfFailure)
      return answerOf(await running)
    },
  })

const answerOf = (output: string) => respond(output, { contentType: 'application/json; charset=utf-8' })

/**
 * A run that failed may have done some of its work: unlike a refused request it must not be done again, so that its
 * failure is an answer like any other. What failed for a reason of ours is in doubt, and stays a failure.
 */
function answerOfFailure(error: unknown) {
  if (!(error instanceof Failure) || error.status >= 500) throw error
  return respond(JSON.stringify(error), {
    status: error.status,
    contentType: 'application/json; charset=utf-8',
  })
}

async function findTarget(definitions: Definitions, address: string, path: string): Promise<Target> {
  const workspace = await definitions.find(address)
  const match = workspace?.matchUrl(path)
  const automation = match === undefined ? undefined : await workspace?.find(match.slug)
  if (workspace === undefined || match === undefined || automation === undefined || automation.disabled)
    throw notFound()
  return { workspace, automation, pathParams: match.pathParams }
}

/**
 * An automation that names an action is for members, and for keys that may execute; to everybody else it isn't there
 * (decisions A2).
 */
async function requireMember(
  permissions: Permissions,
  principal: Principal | undefined,
  workspaceId: string,
): Promise<void> {
  const { by } = await permissions.require(principal, 'execute', 'automations', workspaceId)
  if (by === 'everybody') throw notFound()
}

/** The one answer for whatever a caller can't reach, whether it exists or not. */
const notFound = () =>
  new Failure(
    'ObjectNotFoundError',
    'No automation answers here: check the workspace and the path of the URL.',
  )

async function payloadOf(
  { automation, pathParams }: Target,
  request: RequestInfo,
  bytes: Buffer,
  issuer: string,
): Promise<Readonly<Record<string, unknown>>> {
  const body = await readPayload(bytes, request.headers['content-type'] ?? '')
  return {
    body,
    query: { ...parseQuery(request.url) },
    headers: shownHeaders(request.headers, issuer),
    method: request.method,
    pathParams,
    ...(automation.readsRawBody ? { rawBody: bytes.toString('base64') } : {}),
  }
}

/** Only where an automation of the workspace listens: nobody else needs one more event for each call. */
function triggeredEvents({ workspace, automation }: Target, request: RequestInfo): EventRecord[] {
  if (workspace.listeners(webhookTriggered.type).length === 0) return []
  const { correlationId, method } = request
  const payload = { workspaceId: workspace.id, automationSlug: automation.slug, method }
  const source = { workspaceId: workspace.id, correlationId, host: { service: 'runtime' } }
  return [checkNative(buildRecord({ type: webhookTriggered.type, payload, source }))]
}
