import { testAutomation as endpoint, headers } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure, uuidv7 } from '@platform/kernel'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import { requireActive } from '../automations/suspension.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { RefusedAutomations } from '../processes/refused-automations.ts'
import type { RunNow } from './run-now.ts'

interface Deps {
  readonly definitions: Definitions
  readonly runNow: RunNow
  readonly refused: Pick<RefusedAutomations, 'require'>
}

export const testAutomation = (deps: Deps) =>
  route(endpoint, {
    async handle({ params, body, principal, request, admitted }) {
      const workspace = await deps.definitions.find(admitted.workspace.id)
      const automation = await requireRunnable(workspace, params.automationSlug)
      requireActive(automation.workspace)
      deps.refused.require(automation.workspace.id, automation.automation)

      const runId = uuidv7()
      request.setHeader(headers.runId, runId)
      const output = await deps.runNow({
        ...automation,
        runId,
        payload: body.payload ?? {},
        principal,
        ip: request.clientIp,
        calling: request.calling,
        correlationId: request.correlationId,
        triggerValue: `test/${params.automationSlug}`,
        deadlineAt: request.deadlineAt,
      })

      return respond(output, { contentType: 'application/json; charset=utf-8' })
    },
  })

async function requireRunnable(
  workspace: CompiledWorkspace | undefined,
  slug: string,
): Promise<{ workspace: CompiledWorkspace; automation: CompiledAutomation }> {
  const automation = await workspace?.find(slug)
  if (workspace === undefined || automation === undefined) {
    throw new Failure(
      'ObjectNotFoundError',
      `There is no automation "${slug.slice(0, 100)}" in this workspace.`,
    )
  }
  if (automation.disabled) throw new Failure('ObjectNotFoundError', `The automation "${slug}" is disabled.`)
  return { workspace, automation }
}
