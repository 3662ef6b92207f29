import { retryRun as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure, isUuid, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { admitToRuns, entryOf } from './run-access.ts'
import type { RunChangeStore } from './run-change-store.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly changes: Pick<RunChangeStore, 'retry'>
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
      const change = { workspaceId: workspace.id, runId, entry: { ...entry, details } }
      const run = await deps.changes.retry(change, newId)

      if (run === undefined) throw await refusal(deps, workspace.id, runId)
      deps.wakeWorkers()
      return { run: describedRun(run, deps.clock.now()) }
    },
  })

async function refusal({ records }: Deps, workspaceId: string, runId: string): Promise<Failure> {
  const run = await records.find(workspaceId, runId)
  if (run === undefined) return runNotFound()
  const { status } = run
  if (status === 'queued' || status === 'running')
    return new Failure('RunNotEnded', `The run is ${status}: wait for its end, or cancel it.`)
  if (status !== 'failed')
    return new Failure('RunEnded', `The run has ended as ${status}: only a run that failed is run again.`)
  const message =
    'What the run was called with is not kept, because a request waited for it: send that again.'
  return new Failure('RunExpired', message)
}
