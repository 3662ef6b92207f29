import type { Principal } from '@platform/auth'
import { type EventRecord, callWebhook as endpoint, headers, webhookTriggered } from '@platform/contracts'
import { keyInUse, type RequestInfo, type RouteResponse, respond, route } from '@platform/http'
import { Failure, isFailureName, uuidv7 } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import { requireActive } from '../automations/suspension.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { RefusedAutomations } from '../processes/refused-automations.ts'
import { interactionEvents } from '../runs/interaction-events.ts'
import { type RunNow, runSubjectOf, shownFailure } from '../runs/run-now.ts'
import type { RunRecordStore } from '../runs/run-record-store.ts'
import { payloadOf } from './payload.ts'
import { ShapedAnswer } from './shaped-answer.ts'

interface Deps {
  readonly definitions: Definitions
  readonly permissions: Permissions
  readonly runNow: RunNow
  readonly refused: Pick<RefusedAutomations, 'require'>
  readonly outcomes: Pick<RunRecordStore, 'findOutcome'>
  /** Issuer of the platform's own tokens, which no automation may see. */
  readonly issuer: string
  /** Of one file in a form. */
  readonly maxFileBytes: number
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
      requireActive(workspace)
      deps.refused.require(workspace.id, automation)
      return target
    },
    isIdempotent: ({ automation }) => isIdempotent(automation),
    findOutcome: async ({ admitted: { workspace, automation }, onceId = '' }) =>
      automation.durable ? await outcomeOf(deps.outcomes, workspace.id, onceId) : undefined,
    async handle({ params, body, principal, request, admitted: target, onceId }) {
      const { workspace, automation } = target
      const payload = await payloadOf(request, body as Buffer, {
        pathParams: target.pathParams,
        readsRawBody: automation.readsRawBody,
        issuer: deps.issuer,
        maxFileBytes: deps.maxFileBytes,
      })

      const runId = onceId ?? uuidv7()
      request.setHeader(headers.runId, runId)
      const http = automation.shapesAnswer ? new ShapedAnswer(request) : undefined
      const running = deps.runNow({
        runId,
        workspace,
        automation,
        payload,
        principal,
        ip: request.clientIp,
        calling: request.calling,
        correlationId: request.correlationId,
        triggerValue: params.path,
        deadlineAt: request.deadlineAt,
        ...(http === undefined ? {} : { http }),
        events: triggeredEvents(target, { request, principal, path: params.path, runId }),
      })

      return await responseOf(running, http, isIdempotent(automation) ? runId : undefined)
    },
  })

/** The response to a call; one that is kept under a key names its run, so that a replay does as well. */
async function responseOf(
  running: Promise<string>,
  http: ShapedAnswer | undefined,
  keptRunId: string | undefined,
): Promise<RouteResponse> {
  const kept: Record<string, string> = keptRunId === undefined ? {} : { [headers.runId]: keptRunId }
  try {
    return http === undefined ? outputResponse(await running, kept) : await http.respond(running, kept)
  } catch (error) {
    if (keptRunId === undefined) throw error
    return failureResponse(error, kept)
  }
}

const isIdempotent = ({ idempotent, durable }: CompiledAutomation): boolean => idempotent || durable

/** The answer of a durable run, which may have ended without its request. Throws while it goes on. */
async function outcomeOf(
  outcomes: Deps['outcomes'],
  workspaceId: string,
  runId: string,
): Promise<RouteResponse | undefined> {
  const outcome = await outcomes.findOutcome(workspaceId, runId)
  if (outcome === undefined) return undefined
  const kept = { [headers.runId]: runId }
  if (outcome.finishedAt === null) throw keyInUse()
  if (outcome.status === 'succeeded')
    return outcome.output === null ? undefined : outputResponse(outcome.output, kept)
  const { error = 'InternalError', message = 'The run failed.', details } = outcome.error ?? {}
  const name = isFailureName(error) ? error : 'InternalError'
  return failureResponse(shownFailure(new Failure(name, message, { details }), outcome.error ?? {}), kept)
}

const outputResponse = (output: string, kept: Record<string, string>) =>
  respond(output, { contentType: 'application/json; charset=utf-8', headers: kept })

/**
 * A run that failed may have done some of its work: unlike a refused request it must not be done again, so its failure
 * is stored as the response. After a failure of the platform itself it is unknown what was done: that stays a failure.
 */
function failureResponse(error: unknown, kept: Record<string, string>) {
  if (!(error instanceof Failure) || error.status >= 500) throw error
  return respond(JSON.stringify(error), {
    status: error.status,
    headers: kept,
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

/** An automation that names an action is for members, and for keys that may execute; others find nothing here. */
async function requireMember(
  permissions: Permissions,
  principal: Principal | undefined,
  workspaceId: string,
): Promise<void> {
  const { by } = await permissions.require(principal, 'execute', {
    type: 'automations',
    workspace: workspaceId,
  })
  if (by === 'everybody') throw notFound()
}

/** The same for what does not exist and for what the caller can't reach. */
const notFound = () =>
  new Failure(
    'ObjectNotFoundError',
    'No automation answers here: check the workspace and the path of the URL.',
  )

interface Call {
  readonly request: RequestInfo
  readonly principal: Principal | undefined
  readonly path: string
  readonly runId: string
}

/**
 * Events about the call itself: one where an automation of the workspace listens to it, and one where the run of
 * another workspace calls.
 */
function triggeredEvents(target: Target, call: Call): EventRecord[] {
  const { workspace, automation } = target
  const { correlationId, method } = call.request
  const source = { workspaceId: workspace.id, correlationId, host: { service: 'runtime' } }
  const payload = { workspaceId: workspace.id, automationSlug: automation.slug, method }
  const isHeard = workspace.listeners(webhookTriggered.type).length > 0
  return [
    ...(isHeard ? [checkNative(buildRecord({ type: webhookTriggered.type, payload, source }))] : []),
    ...interactionOf(target, call),
  ]
}

function interactionOf({ workspace, automation }: Target, call: Call): EventRecord[] {
  const { request, principal, path: value, runId: id } = call
  const subject = runSubjectOf({ principal, ip: request.clientIp, calling: request.calling, workspace })
  const trigger = { type: 'endpoint', value, id } as const
  const { correlationId } = request
  return interactionEvents({
    runId: id,
    workspaceId: workspace.id,
    automation: automation.slug,
    trigger,
    subject,
    correlationId,
  })
}
