import type { Audit } from '@platform/audit'
import { cancelRun as endpoint } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { route } from '@platform/http'
import { type Clock, Failure, isUuid } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { admitToRuns, entryOf } from './run-access.ts'
import type { RunChangeStore } from './run-change-store.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly changes: Pick<RunChangeStore, 'cancel'>
  readonly audit: Pick<Audit, 'record'>
  readonly records: Pick<RunRecordStore, 'find'>
  readonly permissions: Permissions
  readonly clock: Clock
}

export const cancelRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, body, principal, request, admitted: { workspace } }) {
      if (!isUuid(runId)) throw runNotFound()

      const entry = entryOf('run.cancelled', runId, workspace.id, { principal, request })
      const change = {
        workspaceId: workspace.id,
        runId,
        note: (tx: Queries) => deps.audit.record(tx, entry),
      }
      const run = await deps.changes.cancel(change, body?.reason ?? '')

      if (run === undefined) throw await refusal(deps, workspace.id, runId)
      return { run: describedRun(run, deps.clock.now()) }
    },
  })

async function refusal({ records }: Deps, workspaceId: string, runId: string): Promise<Failure> {
  const run = await records.find(workspaceId, runId)
  if (run === undefined) return runNotFound()
  return new Failure('RunEnded', `The run has ended as ${run.status}: there is nothing left of it to cancel.`)
}
