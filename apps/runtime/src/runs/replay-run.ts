import type { Audit } from '@platform/audit'
import { replayRun as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { admitToRuns, entryOf } from './run-access.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps {
  readonly again: Pick<RunsAgain, 'replay' | 'recorded' | 'plan'>
  readonly permissions: Permissions
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
}

export const replayRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, body = {}, principal, request, admitted: { workspace } }) {
      const { definition = 'original', effects = 'real', plan } = body
      const place = { workspaceId: workspace.id, runId }
      if (plan === true) return { effects: await deps.again.plan(place, definition) }

      const newId = uuidv7()
      const entry = entryOf('run.replayed', runId, workspace.id, { principal, request })
      const details = { ...entry.details, newRunId: newId, effects }
      const run = await deps.again[effects === 'real' ? 'replay' : 'recorded'](
        { ...place, note: (tx) => deps.audit.record(tx, { ...entry, details }) },
        newId,
        definition,
      )

      if (run === undefined) throw runNotFound()
      deps.wakeWorkers()
      return { run: describedRun(run, deps.clock.now()) }
    },
  })
