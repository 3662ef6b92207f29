import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import type { Part } from '@platform/service'
import type { Definitions } from '../definitions/definitions.ts'
import type { ReadParts } from '../inspection/read-run.ts'
import { bulkRuns } from './bulk-runs.ts'
import { bulkStore } from './bulk-store.ts'
import { cancelRun } from './cancel-run.ts'
import { forkRun } from './fork-run.ts'
import { getBulkRuns } from './get-bulk-runs.ts'
import type { JournalStore } from './journal-store.ts'
import { replayRun } from './replay-run.ts'
import { retryRun } from './retry-run.ts'
import { runChangeStore } from './run-change-store.ts'
import type { RunRecordStore } from './run-record-store.ts'
import { runsAgain } from './runs-again.ts'
import { workOnBulk } from './work-on-bulk.ts'

/** What people do to runs: end them, and make others from them. */
export function runActionsPart({
  database,
  records,
  journals,
  definitions,
  reading,
  ...common
}: {
  database: Database
  records: RunRecordStore
  journals: JournalStore
  definitions: Definitions
  /** Executes runs again without effects. */
  reading: ReadParts
  audit: Audit
  permissions: Permissions
  clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  wakeWorkers: () => void
}) {
  const changes = runChangeStore(database)
  const jobs = bulkStore(database)
  const again = runsAgain({ records, changes, journals, definitions, reading })
  return {
    routes: [
      cancelRun({ ...common, changes, records }),
      retryRun({ ...common, again }),
      replayRun({ ...common, again }),
      forkRun({ ...common, again }),
      bulkRuns({ ...common, jobs, records }),
      getBulkRuns({ jobs }),
    ],
    jobs: workOnBulk({ database, jobs, changes, again, wakeWorkers: common.wakeWorkers }),
  } satisfies Part
}
