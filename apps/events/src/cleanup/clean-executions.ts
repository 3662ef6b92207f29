import { type ExecutionsReport, cleanExecutions as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Cleanup } from './cleanup.ts'
import type { CleanupStore } from './cleanup-store.ts'
import { runCleanup } from './run-cleanup.ts'

export const cleanExecutions = (deps: {
  cleanup: Cleanup<ExecutionsReport>
  store: CleanupStore
  clock: Clock
}) =>
  route(endpoint, {
    async handle({ query }) {
      const { dryRun } = query

      const outcome = dryRun ? await deps.cleanup.preview() : await runCleanup(deps.cleanup, deps)

      return { dryRun, done: outcome.done, result: outcome.report }
    },
  })
