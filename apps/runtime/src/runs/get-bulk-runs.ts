import { getBulkRuns as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure, isUuid } from '@platform/kernel'
import type { BulkStore } from './bulk-store.ts'

export const getBulkRuns = ({ jobs }: { jobs: Pick<BulkStore, 'findProgress'> }) =>
  route(endpoint, {
    async handle({ params: { jobId }, admitted: { workspace } }) {
      const found = isUuid(jobId) ? await jobs.findProgress(workspace.id, jobId) : undefined
      if (found === undefined) throw jobNotFound()
      const { createdAt, finishedAt, ...progress } = found
      return {
        ...progress,
        createdAt: createdAt.toISOString(),
        finishedAt: finishedAt?.toISOString() ?? null,
      }
    },
  })

const jobNotFound = () =>
  new Failure(
    'ObjectNotFoundError',
    'There is no such job in this workspace: it is named by the answer of …/runs/bulk, and known for a week.',
  )
