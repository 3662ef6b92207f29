import type { Audit } from '@platform/audit'
import { retryRun as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure, isUuid, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { inputNotKept } from './replay-run.ts'
import { admitToRuns, entryOf } from './run-access.ts'
import type { RunChangeStore } from './run-change-store.ts'
import { describedRun, runNotEnded, runNotFound } from './run-record.ts'
import type { RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly changes: Pick<RunChangeStore, 'again'>
  readonly audit: Pick<Audit, 'record'>
  readonly records: Pick<RunRecordStore, 'find'>
  readonly permissions: Permissions
  readonly clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
}

export const retryRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, principal, request, admitted: { workspace } }) {
      if (!isUuid(runId)) throw runNotFound()

      const newId = uuidv7()
      const entry = entryOf('run.retried', runId, workspace.id, { principal, request })
      const details = { ...entry.details, newRunId: newId }
      const run = await deps.changes.again(
        { workspaceId: workspace.id, runId, note: (tx) => deps.audit.record(tx, { ...entry, details }) },
        { id: newId, way: 'retry', definition: 'current' },
      )

      if (run === undefined) throw await refusal(deps, workspace.id, runId)
      deps.wakeWorkers()
      return { run: describedRun(run, deps.clock.now()) }
    },
  })

async function refusal({ records }: Deps, workspaceId: string, runId: string): Promise<Failure> {
  const run = await records.find(workspaceId, runId)
  if (run === undefined) return runNotFound()
  const { status } = run
  if (run.finishedAt === null) return runNotEnded(run)
  if (status !== 'failed')
    return new Failure(
      'RunEnded',
      `The run has ended as ${status}: only a run that failed is retried. Replay it instead.`,
    )
  return inputNotKept()
}
