import { type Clock, DAY_MS, HOUR_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { VersionCallerStore } from './version-caller-store.ts'

const BATCH = 1000
/** More than a year: a yearly job that calls a version is still known when it comes again. */
const KEPT_DAYS = 400

/** Forgets who has not called for long. Any instance may do it. */
export const purgeVersionCallers = (deps: {
  store: Pick<VersionCallerStore, 'deleteUnseen'>
  clock: Clock
}): Job => ({
  name: 'purge-version-callers',
  everyMs: 6 * HOUR_MS,
  run: (signal) =>
    inBatches(BATCH, signal, (limit) =>
      deps.store.deleteUnseen(new Date(deps.clock.now().getTime() - KEPT_DAYS * DAY_MS), limit),
    ),
})
