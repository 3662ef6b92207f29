import {
  type ExecutionsReport,
  cleanExecutions as executions,
  type IndicesReport,
  cleanIndices as indices,
} from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Cleanup } from './cleanup.ts'
import type { CleanupStore } from './cleanup-store.ts'
import { runCleanup } from './run-cleanup.ts'

interface Deps<Report> {
  cleanup: Cleanup<Report>
  store: CleanupStore
  clock: Clock
}

export const cleanIndices = (deps: Deps<IndicesReport>) =>
  route(indices, {
    async handle({ query: { dryRun } }) {
      const { done, report } = await previewOrRun(deps, dryRun)
      return { dryRun, done, ...report }
    },
  })

export const cleanExecutions = (deps: Deps<ExecutionsReport>) =>
  route(executions, {
    async handle({ query: { dryRun } }) {
      const { done, report } = await previewOrRun(deps, dryRun)
      return { dryRun, done, result: report }
    },
  })

const previewOrRun = <Report>({ cleanup, ...deps }: Deps<Report>, dryRun: boolean) =>
  dryRun ? cleanup.preview() : runCleanup(cleanup, deps)
