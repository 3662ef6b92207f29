import type { Audit } from '@platform/audit'
import { bulkRuns as endpoint, MAX_BULK_RUNS } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { requireActive } from '../automations/suspension.ts'
import type { BulkStore } from './bulk-store.ts'
import { actEntryOf, admitToRuns } from './run-access.ts'
import type { RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly jobs: Pick<BulkStore, 'insert'>
  readonly records: Pick<RunRecordStore, 'listIds'>
  readonly permissions: Permissions
  readonly audit: Pick<Audit, 'record'>
}

/** Runs that are looked at for a filter, the newest ones. */
const LOOKED_AT = 1_000_000

export const bulkRuns = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ body, principal, request, admitted: { workspace } }) {
      const { action, filter, definition = 'original', reason = '', plan } = body
      const page = { workspaceId: workspace.id, filter, limit: MAX_BULK_RUNS + 1, lookedAt: LOOKED_AT }
      const runIds = await deps.records.listIds(page, action)
      if (runIds.length > MAX_BULK_RUNS) throw tooMany()
      const matched = runIds.length
      if (matched === 0 || plan === true) return { matched }
      if (action !== 'cancel') requireActive(workspace)

      const id = uuidv7()
      const entry = actEntryOf('runs.changed', `bulk:${id}`, workspace.id, { principal, request })
      const details = { ...entry.details, action, matched }
      await deps.jobs.insert({ id, workspaceId: workspace.id, action, definition, reason }, runIds, (tx) =>
        deps.audit.record(tx, { ...entry, details }),
      )
      return { matched, jobId: id }
    },
  })

const tooMany = () =>
  new Failure(
    'RequestValidationError',
    `The filter finds more than ${MAX_BULK_RUNS} runs: make it narrower, for example with after and before.`,
    { details: [{ path: 'body.filter', message: `finds more than ${MAX_BULK_RUNS} runs` }] },
  )
