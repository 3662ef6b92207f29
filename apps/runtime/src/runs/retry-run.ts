import { retryRun as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { requireActive } from '../automations/suspension.ts'
import { answerNewRun, type NewRunDeps } from './new-run.ts'
import { admitToRuns } from './run-access.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps extends NewRunDeps {
  readonly again: Pick<RunsAgain, 'retry'>
}

export const retryRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, principal, request, admitted: { workspace } }) {
      requireActive(workspace)
      const wish = { action: 'run.retried', runId, workspaceId: workspace.id, principal, request } as const
      return await answerNewRun(deps, wish, (change, newId) => deps.again.retry(change, newId))
    },
  })
