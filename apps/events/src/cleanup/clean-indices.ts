import { cleanIndices as endpoint, type IndicesReport } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Cleanup } from './cleanup.ts'
import type { CleanupStore } from './cleanup-store.ts'
import { runCleanup } from './run-cleanup.ts'

export const cleanIndices = (deps: { cleanup: Cleanup<IndicesReport>; store: CleanupStore; clock: Clock }) =>
  route(endpoint, {
    async handle({ query }) {
      const { dryRun } = query

      const outcome = dryRun ? await deps.cleanup.preview() : await runCleanup(deps.cleanup, deps)

      return { dryRun, done: outcome.done, ...outcome.report }
    },
  })
