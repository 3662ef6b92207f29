import type { Audit } from '@platform/audit'
import { forkRun as endpoint } from '@platform/contracts'
import { compilePath } from '@platform/expressions'
import { route } from '@platform/http'
import { type Clock, Failure, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { admitToRuns, entryOf } from './run-access.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps {
  readonly again: Pick<RunsAgain, 'fork'>
  readonly permissions: Permissions
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
}

export const forkRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, body, principal, request, admitted: { workspace } }) {
      const { at, set: sets = [], definition = 'original' } = body
      for (const [index, { path }] of sets.entries()) requirePath(path, `body.set[${index}].path`)

      const newId = uuidv7()
      const entry = entryOf('run.forked', runId, workspace.id, { principal, request })
      const details = { ...entry.details, newRunId: newId, at }
      const run = await deps.again.fork(
        { workspaceId: workspace.id, runId, note: (tx) => deps.audit.record(tx, { ...entry, details }) },
        newId,
        { at, sets, definition },
      )

      if (run === undefined) throw runNotFound()
      deps.wakeWorkers()
      return { run: describedRun(run, deps.clock.now()) }
    },
  })

function requirePath(path: string, place: string): void {
  try {
    compilePath(path)
  } catch {
    const message = 'must be the path of a variable, such as order.items[0] or global.count'
    throw new Failure('RequestValidationError', `${place}: ${message}.`, {
      details: [{ path: place, message }],
    })
  }
}
