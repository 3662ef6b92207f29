import { replayRun as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { requireActive } from '../automations/suspension.ts'
import { answerNewRun, type NewRunDeps } from './new-run.ts'
import { admitToRuns } from './run-access.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps extends NewRunDeps {
  readonly again: Pick<RunsAgain, 'replay' | 'recorded' | 'plan'>
}

export const replayRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, body = {}, principal, request, admitted: { workspace } }) {
      const { definition = 'original', effects = 'real', plan } = body
      const place = { workspaceId: workspace.id, runId }
      if (plan === true) return await deps.again.plan(place, definition)
      const way = effects === 'real' ? 'replay' : 'recorded'
      if (way === 'replay') requireActive(workspace)
      return await answerNewRun(
        deps,
        { action: 'run.replayed', ...place, principal, request, details: { effects } },
        (change, newId) => deps.again[way](change, newId, definition),
      )
    },
  })
