import type { Audit, AuditEntry } from '@platform/audit'
import type { Principal } from '@platform/auth'
import type { Run } from '@platform/contracts'
import type { RequestInfo } from '@platform/http'
import { type Clock, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { entryOf } from './run-access.ts'
import type { RunChange } from './run-change-store.ts'
import { describedRun, type RunRecord, runNotFound } from './run-record.ts'

/** What the endpoints need that make a run from another. */
export interface NewRunDeps {
  readonly permissions: Permissions
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
}

interface Wish {
  readonly action: AuditEntry['action']
  readonly runId: string
  readonly workspaceId: string
  readonly principal: Principal
  readonly request: RequestInfo
  /** What the audit trail tells beside the id of the new run. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Answers the run that `make` makes from another, and notes with it who wanted it. */
export async function answerNewRun(
  deps: NewRunDeps,
  { action, runId, workspaceId, principal, request, details }: Wish,
  make: (change: RunChange, newId: string) => Promise<RunRecord | undefined>,
): Promise<{ run: Run }> {
  const newId = uuidv7()
  const entry = entryOf(action, runId, workspaceId, { principal, request })
  const noted = { ...entry, details: { ...entry.details, newRunId: newId, ...details } }
  const run = await make({ workspaceId, runId, note: (tx) => deps.audit.record(tx, noted) }, newId)
  if (run === undefined) throw runNotFound()
  deps.wakeWorkers()
  return { run: describedRun(run, deps.clock.now()) }
}
