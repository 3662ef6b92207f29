import type { Audit } from '@platform/audit'
import { retryRun as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { admitToRuns, entryOf } from './run-access.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps {
  readonly again: Pick<RunsAgain, 'retry'>
  readonly permissions: Permissions
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
}

export const retryRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, principal, request, admitted: { workspace } }) {
      const newId = uuidv7()
      const entry = entryOf('run.retried', runId, workspace.id, { principal, request })
      const details = { ...entry.details, newRunId: newId }
      const run = await deps.again.retry(
        { workspaceId: workspace.id, runId, note: (tx) => deps.audit.record(tx, { ...entry, details }) },
        newId,
      )

      if (run === undefined) throw runNotFound()
      deps.wakeWorkers()
      return { run: describedRun(run, deps.clock.now()) }
    },
  })
